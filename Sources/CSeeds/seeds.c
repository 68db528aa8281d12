#include "seeds.h"

static const unsigned char company[] = {
#embed "../../Seeds/company.json"
};

const char *roster_company_seed(size_t *size) {
    *size = sizeof company;
    return (const char *)company;
}
