// Names what signs in.

import { say } from "./texts.js";

const programs = [["Edg/", "Edge"], ["OPR/", "Opera"], ["Firefox/", "Firefox"], ["Chrome/", "Chrome"], ["Safari/", "Safari"]];
const systems = [["iPhone", "iPhone"], ["iPad", "iPad"], ["Android", "Android"], ["Windows", "Windows"], ["Mac OS X", "Mac"], ["Linux", "Linux"]];

/** What a browser or an app calls itself, in few words. */
export function device(agent) {
  if (!agent) return say("Unknown program");
  const named = (all) => all.find(([mark]) => agent.includes(mark))?.[1];
  const program = named(programs);
  // Other programs begin with their name: "curl/7.88.1" is curl.
  const system = named(systems);
  if (program) return system ? say("{program} on {system}", { program, system }) : program;
  return agent.split(/[/ (]/)[0].slice(0, 60) || say("Unknown program");
}
