#include "schema.h"

static const unsigned char v0001[] = {
#embed "../../Schema/sqlite/0001_users.sql" suffix(,)
    0};
static const unsigned char v0002[] = {
#embed "../../Schema/sqlite/0002_roles.sql" suffix(,)
    0};
static const unsigned char v0003[] = {
#embed "../../Schema/sqlite/0003_changes.sql" suffix(,)
    0};
static const unsigned char v0004[] = {
#embed "../../Schema/sqlite/0004_access.sql" suffix(,)
    0};
static const unsigned char v0005[] = {
#embed "../../Schema/sqlite/0005_sign_in.sql" suffix(,)
    0};
static const unsigned char v0006[] = {
#embed "../../Schema/sqlite/0006_identity_links.sql" suffix(,)
    0};
static const unsigned char v0007[] = {
#embed "../../Schema/sqlite/0007_privacy.sql" suffix(,)
    0};
static const unsigned char v0008[] = {
#embed "../../Schema/sqlite/0008_ends.sql" suffix(,)
    0};
static const unsigned char v0009[] = {
#embed "../../Schema/sqlite/0009_makers.sql" suffix(,)
    0};
static const unsigned char v0010[] = {
#embed "../../Schema/sqlite/0010_epochs.sql" suffix(,)
    0};
static const unsigned char v0011[] = {
#embed "../../Schema/sqlite/0011_order.sql" suffix(,)
    0};
static const unsigned char v0012[] = {
#embed "../../Schema/sqlite/0012_idempotent_changes.sql" suffix(,)
    0};
static const unsigned char v0013[] = {
#embed "../../Schema/sqlite/0013_powers.sql" suffix(,)
    0};
static const unsigned char v0014[] = {
#embed "../../Schema/sqlite/0014_sign_ins.sql" suffix(,)
    0};
static const unsigned char v0015[] = {
#embed "../../Schema/sqlite/0015_account_dates.sql" suffix(,)
    0};
static const unsigned char v0016[] = {
#embed "../../Schema/sqlite/0016_password_links.sql" suffix(,)
    0};
static const unsigned char v0017[] = {
#embed "../../Schema/sqlite/0017_settings.sql" suffix(,)
    0};
static const unsigned char v0018[] = {
#embed "../../Schema/sqlite/0018_password_link_powers.sql" suffix(,)
    0};
static const unsigned char v0019[] = {
#embed "../../Schema/sqlite/0019_records.sql" suffix(,)
    0};
static const unsigned char v0020[] = {
#embed "../../Schema/sqlite/0020_repeated_sign_ins.sql" suffix(,)
    0};
static const unsigned char v0021[] = {
#embed "../../Schema/sqlite/0021_addresses.sql" suffix(,)
    0};
static const unsigned char v0022[] = {
#embed "../../Schema/sqlite/0022_sources.sql" suffix(,)
    0};
static const unsigned char v0023[] = {
#embed "../../Schema/sqlite/0023_values.sql" suffix(,)
    0};
static const unsigned char v0024[] = {
#embed "../../Schema/sqlite/0024_filters.sql" suffix(,)
    0};
static const unsigned char v0025[] = {
#embed "../../Schema/sqlite/0025_apps.sql" suffix(,)
    0};
static const unsigned char v0026[] = {
#embed "../../Schema/sqlite/0026_matching.sql" suffix(,)
    0};
static const unsigned char v0027[] = {
#embed "../../Schema/sqlite/0027_app_passwords.sql" suffix(,)
    0};
static const unsigned char v0028[] = {
#embed "../../Schema/sqlite/0028_change_batches.sql" suffix(,)
    0};
static const unsigned char v0029[] = {
#embed "../../Schema/sqlite/0029_word_changes.sql" suffix(,)
    0};
static const unsigned char v0030[] = {
#embed "../../Schema/sqlite/0030_uses_and_memberships.sql" suffix(,)
    0};
static const unsigned char v0031[] = {
#embed "../../Schema/sqlite/0031_narrow_views.sql" suffix(,)
    0};
static const unsigned char v0032[] = {
#embed "../../Schema/sqlite/0032_token_uses.sql" suffix(,)
    0};

static const schema_file files[] = {
    {"0001_users.sql", (const char *)v0001},
    {"0002_roles.sql", (const char *)v0002},
    {"0003_changes.sql", (const char *)v0003},
    {"0004_access.sql", (const char *)v0004},
    {"0005_sign_in.sql", (const char *)v0005},
    {"0006_identity_links.sql", (const char *)v0006},
    {"0007_privacy.sql", (const char *)v0007},
    {"0008_ends.sql", (const char *)v0008},
    {"0009_makers.sql", (const char *)v0009},
    {"0010_epochs.sql", (const char *)v0010},
    {"0011_order.sql", (const char *)v0011},
    {"0012_idempotent_changes.sql", (const char *)v0012},
    {"0013_powers.sql", (const char *)v0013},
    {"0014_sign_ins.sql", (const char *)v0014},
    {"0015_account_dates.sql", (const char *)v0015},
    {"0016_password_links.sql", (const char *)v0016},
    {"0017_settings.sql", (const char *)v0017},
    {"0018_password_link_powers.sql", (const char *)v0018},
    {"0019_records.sql", (const char *)v0019},
    {"0020_repeated_sign_ins.sql", (const char *)v0020},
    {"0021_addresses.sql", (const char *)v0021},
    {"0022_sources.sql", (const char *)v0022},
    {"0023_values.sql", (const char *)v0023},
    {"0024_filters.sql", (const char *)v0024},
    {"0025_apps.sql", (const char *)v0025},
    {"0026_matching.sql", (const char *)v0026},
    {"0027_app_passwords.sql", (const char *)v0027},
    {"0028_change_batches.sql", (const char *)v0028},
    {"0029_word_changes.sql", (const char *)v0029},
    {"0030_uses_and_memberships.sql", (const char *)v0030},
    {"0031_narrow_views.sql", (const char *)v0031},
    {"0032_token_uses.sql", (const char *)v0032},
};

static const unsigned char p0001[] = {
#embed "../../Schema/postgresql/0001_directory.sql" suffix(,)
    0};
static const unsigned char p0002[] = {
#embed "../../Schema/postgresql/0002_repeated_sign_ins.sql" suffix(,)
    0};
static const unsigned char p0003[] = {
#embed "../../Schema/postgresql/0003_addresses.sql" suffix(,)
    0};
static const unsigned char p0004[] = {
#embed "../../Schema/postgresql/0004_head.sql" suffix(,)
    0};
static const unsigned char p0005[] = {
#embed "../../Schema/postgresql/0005_sources.sql" suffix(,)
    0};
static const unsigned char p0006[] = {
#embed "../../Schema/postgresql/0006_values.sql" suffix(,)
    0};
static const unsigned char p0007[] = {
#embed "../../Schema/postgresql/0007_filters.sql" suffix(,)
    0};
static const unsigned char p0008[] = {
#embed "../../Schema/postgresql/0008_apps.sql" suffix(,)
    0};
static const unsigned char p0009[] = {
#embed "../../Schema/postgresql/0009_matching.sql" suffix(,)
    0};
static const unsigned char p0010[] = {
#embed "../../Schema/postgresql/0010_matching_indexes.sql" suffix(,)
    0};
static const unsigned char p0011[] = {
#embed "../../Schema/postgresql/0011_app_passwords.sql" suffix(,)
    0};
static const unsigned char p0012[] = {
#embed "../../Schema/postgresql/0012_change_batches.sql" suffix(,)
    0};
static const unsigned char p0013[] = {
#embed "../../Schema/postgresql/0013_uses_and_memberships.sql" suffix(,)
    0};
static const unsigned char p0014[] = {
#embed "../../Schema/postgresql/0014_narrow_views.sql" suffix(,)
    0};
static const unsigned char p0015[] = {
#embed "../../Schema/postgresql/0015_token_uses.sql" suffix(,)
    0};

static const schema_file postgresql_files[] = {
    {"0001_directory.sql", (const char *)p0001},
    {"0002_repeated_sign_ins.sql", (const char *)p0002},
    {"0003_addresses.sql", (const char *)p0003},
    {"0004_head.sql", (const char *)p0004},
    {"0005_sources.sql", (const char *)p0005},
    {"0006_values.sql", (const char *)p0006},
    {"0007_filters.sql", (const char *)p0007},
    {"0008_apps.sql", (const char *)p0008},
    {"0009_matching.sql", (const char *)p0009},
    {"0010_matching_indexes.sql", (const char *)p0010},
    {"0011_app_passwords.sql", (const char *)p0011},
    {"0012_change_batches.sql", (const char *)p0012},
    {"0013_uses_and_memberships.sql", (const char *)p0013},
    {"0014_narrow_views.sql", (const char *)p0014},
    {"0015_token_uses.sql", (const char *)p0015},
};

size_t schema_postgresql_file_count(void) { return sizeof postgresql_files / sizeof *postgresql_files; }
schema_file schema_postgresql_file_at(size_t index) {
    return index < schema_postgresql_file_count() ? postgresql_files[index] : (schema_file){"", ""};
}

size_t schema_file_count(void) { return sizeof files / sizeof *files; }
schema_file schema_file_at(size_t index) {
    return index < schema_file_count() ? files[index] : (schema_file){"", ""};
}
