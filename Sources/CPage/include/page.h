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

#endif
