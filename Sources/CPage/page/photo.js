// Cuts a square out of a picture, for a photo of a person.

import { field, make } from "./dom.js";
import { say } from "./texts.js";

const side = 256;
const mostBytes = 10_000_000;

/**
 * What chooses the part of a picture that is kept.
 * @returns `parts` for the page, and `data()`, the photo in base64
 */
export async function crop(file) {
  if (file.size > mostBytes) throw new Error(say("The file is larger than 10 MB. Choose a smaller picture."));
  let image;
  try {
    image = await createImageBitmap(file);
  } catch {
    throw new Error(say("The file is no picture that can be read. Choose a JPEG, PNG, GIF or WebP."));
  }
  const canvas = make("canvas", { width: side, height: side, class: "preview", role: "img", "aria-label": say("The photo as it will be") });
  const pen = canvas.getContext("2d");
  const slider = (id, label, value) => field(id, label, { type: "range", min: 0, max: 100, value });
  const sliders = [slider("photo-zoom", say("Size"), 0), slider("photo-across", say("Left or right"), 50), slider("photo-down", say("Up or down"), 50)];
  const draw = () => {
    const [zoom, across, down] = sliders.map(({ input }) => Number(input.value) / 100);
    const part = Math.min(image.width, image.height) / (1 + 3 * zoom);
    pen.fillStyle = "#fff";
    pen.fillRect(0, 0, side, side);
    pen.drawImage(image, (image.width - part) * across, (image.height - part) * down, part, part, 0, 0, side, side);
  };
  for (const { input } of sliders) input.addEventListener("input", draw);
  draw();
  return {
    parts: [canvas, ...sliders.map(({ row }) => row)],
    data: async () => canvas.toDataURL("image/jpeg", 0.85).split(",")[1],
  };
}
