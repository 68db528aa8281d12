#ifndef ROSTER_SEEDS_H
#define ROSTER_SEEDS_H
#include <stddef.h>

// The company of Seeds/company.json, as it was when the program was compiled.
const char *roster_company_seed(size_t *size);
#endif
