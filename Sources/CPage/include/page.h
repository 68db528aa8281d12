#ifndef ROSTER_PAGE_H
#define ROSTER_PAGE_H

#include <stddef.h>

/// A file of the page for people, as it stands in `page/`.
typedef struct {
    const char *path;
    const char *media_type;
    const unsigned char *bytes;
    size_t count;
} page_file;

size_t page_file_count(void);
/// The file at an index; beyond the end, one without a path.
page_file page_file_at(size_t index);

/// A text that Swift code reads, in UTF-8.
typedef struct {
    const unsigned char *bytes;
    size_t count;
} page_text;

/// The pages of signing in, as pieces. Each piece follows a line with its name in a comment. Its texts are in double brackets.
page_text page_sign_in_pages(void);
/// The style sheet of the pages of signing in.
page_text page_sign_in_style(void);
/// The texts of the pages of signing in in other languages, as JSON: by the English text and the language.
page_text page_sign_in_texts(void);
/// The text of a mail, by language and purpose, such as `en/reset`; an empty one if there is none.
page_text page_mail(const char *name);
/// The most common passwords, separated by white space.
page_text page_common_passwords(void);

#endif
