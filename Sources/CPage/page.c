#include "page.h"

#include <string.h>

static const unsigned char html[] = {
#embed "page/index.html"
};
static const unsigned char style[] = {
#embed "page/page.css"
};
static const unsigned char directory[] = {
#embed "page/directory.js"
};
static const unsigned char chart[] = {
#embed "page/chart.js"
};
static const unsigned char chart_controls[] = {
#embed "page/chart-controls.js"
};
static const unsigned char chart_data[] = {
#embed "page/chart-data.js"
};
static const unsigned char chart_layout[] = {
#embed "page/chart-layout.js"
};
static const unsigned char chart_card[] = {
#embed "page/chart-card.js"
};
static const unsigned char chart_drawing[] = {
#embed "page/chart-drawing.js"
};
static const unsigned char chart_gestures[] = {
#embed "page/chart-gestures.js"
};
static const unsigned char chart_moving[] = {
#embed "page/chart-moving.js"
};
static const unsigned char chart_export[] = {
#embed "page/chart-export.js"
};
static const unsigned char search[] = {
#embed "page/search.js"
};
static const unsigned char script[] = {
#embed "page/page.js"
};
static const unsigned char dom[] = {
#embed "page/dom.js"
};
static const unsigned char account[] = {
#embed "page/account.js"
};
static const unsigned char photo[] = {
#embed "page/photo.js"
};
static const unsigned char qr[] = {
#embed "page/qr.js"
};
static const unsigned char people[] = {
#embed "page/people.js"
};
static const unsigned char picker[] = {
#embed "page/picker.js"
};
static const unsigned char administration[] = {
#embed "page/administration.js"
};
static const unsigned char operation[] = {
#embed "page/operation.js"
};
static const unsigned char address[] = {
#embed "page/address.js"
};
static const unsigned char branding[] = {
#embed "page/branding.js"
};
static const unsigned char branding_form[] = {
#embed "page/branding-form.js"
};
static const unsigned char bulk[] = {
#embed "page/bulk.js"
};
static const unsigned char columns[] = {
#embed "page/columns.js"
};
static const unsigned char combobox[] = {
#embed "page/combobox.js"
};
static const unsigned char device[] = {
#embed "page/device.js"
};
static const unsigned char filters[] = {
#embed "page/filters.js"
};
static const unsigned char frame[] = {
#embed "page/frame.js"
};
static const unsigned char palette[] = {
#embed "page/palette.js"
};
static const unsigned char person[] = {
#embed "page/person.js"
};
static const unsigned char profile[] = {
#embed "page/profile.js"
};
static const unsigned char powers[] = {
#embed "page/powers.js"
};
static const unsigned char role[] = {
#embed "page/role.js"
};
static const unsigned char roles[] = {
#embed "page/roles.js"
};
static const unsigned char table[] = {
#embed "page/table.js"
};
static const unsigned char actions[] = {
#embed "page/actions.js"
};
static const unsigned char listing[] = {
#embed "page/listing.js"
};
static const unsigned char home[] = {
#embed "page/home.js"
};
static const unsigned char access[] = {
#embed "page/access.js"
};
static const unsigned char attribute_texts[] = {
#embed "page/attribute-texts.js"
};
static const unsigned char attributes[] = {
#embed "page/attributes.js"
};
static const unsigned char choices[] = {
#embed "page/choices.js"
};
static const unsigned char conflict[] = {
#embed "page/conflict.js"
};
static const unsigned char copy[] = {
#embed "page/copy.js"
};
static const unsigned char crumbs[] = {
#embed "page/crumbs.js"
};
static const unsigned char elements[] = {
#embed "page/elements.js"
};
static const unsigned char fields[] = {
#embed "page/fields.js"
};
static const unsigned char history[] = {
#embed "page/history.js"
};
static const unsigned char manager[] = {
#embed "page/manager.js"
};
static const unsigned char person_roles[] = {
#embed "page/person-roles.js"
};
static const unsigned char profile_form[] = {
#embed "page/profile-form.js"
};
static const unsigned char values[] = {
#embed "page/values.js"
};
static const unsigned char views[] = {
#embed "page/views.js"
};
static const unsigned char typed[] = {
#embed "page/typed.js"
};
static const unsigned char policies[] = {
#embed "page/policies.js"
};
static const unsigned char recipes[] = {
#embed "page/recipes.js"
};
static const unsigned char apps[] = {
#embed "page/apps.js"
};
static const unsigned char tokens[] = {
#embed "page/tokens.js"
};
static const unsigned char trust[] = {
#embed "page/trust.js"
};
static const unsigned char app_passwords[] = {
#embed "page/app-passwords.js"
};
static const unsigned char attribute_admin[] = {
#embed "page/attribute-admin.js"
};
static const unsigned char audit[] = {
#embed "page/audit.js"
};
static const unsigned char importing[] = {
#embed "page/importing.js"
};
static const unsigned char texts[] = {
#embed "page/texts.js"
};
static const unsigned char texts_de[] = {
#embed "page/texts-de.json"
};
static const unsigned char texts_es[] = {
#embed "page/texts-es.json"
};
static const unsigned char texts_ja[] = {
#embed "page/texts-ja.json"
};

static const page_file files[] = {
    {"/", "text/html; charset=utf-8", html, sizeof html},
    {"/page.css", "text/css; charset=utf-8", style, sizeof style},
    {"/directory.js", "text/javascript; charset=utf-8", directory, sizeof directory},
    {"/chart.js", "text/javascript; charset=utf-8", chart, sizeof chart},
    {"/chart-controls.js", "text/javascript; charset=utf-8", chart_controls, sizeof chart_controls},
    {"/chart-data.js", "text/javascript; charset=utf-8", chart_data, sizeof chart_data},
    {"/chart-layout.js", "text/javascript; charset=utf-8", chart_layout, sizeof chart_layout},
    {"/chart-card.js", "text/javascript; charset=utf-8", chart_card, sizeof chart_card},
    {"/chart-drawing.js", "text/javascript; charset=utf-8", chart_drawing, sizeof chart_drawing},
    {"/chart-gestures.js", "text/javascript; charset=utf-8", chart_gestures, sizeof chart_gestures},
    {"/chart-moving.js", "text/javascript; charset=utf-8", chart_moving, sizeof chart_moving},
    {"/chart-export.js", "text/javascript; charset=utf-8", chart_export, sizeof chart_export},
    {"/search.js", "text/javascript; charset=utf-8", search, sizeof search},
    {"/dom.js", "text/javascript; charset=utf-8", dom, sizeof dom},
    {"/account.js", "text/javascript; charset=utf-8", account, sizeof account},
    {"/photo.js", "text/javascript; charset=utf-8", photo, sizeof photo},
    {"/qr.js", "text/javascript; charset=utf-8", qr, sizeof qr},
    {"/people.js", "text/javascript; charset=utf-8", people, sizeof people},
    {"/picker.js", "text/javascript; charset=utf-8", picker, sizeof picker},
    {"/administration.js", "text/javascript; charset=utf-8", administration, sizeof administration},
    {"/operation.js", "text/javascript; charset=utf-8", operation, sizeof operation},
    {"/address.js", "text/javascript; charset=utf-8", address, sizeof address},
    {"/branding.js", "text/javascript; charset=utf-8", branding, sizeof branding},
    {"/branding-form.js", "text/javascript; charset=utf-8", branding_form, sizeof branding_form},
    {"/bulk.js", "text/javascript; charset=utf-8", bulk, sizeof bulk},
    {"/columns.js", "text/javascript; charset=utf-8", columns, sizeof columns},
    {"/combobox.js", "text/javascript; charset=utf-8", combobox, sizeof combobox},
    {"/device.js", "text/javascript; charset=utf-8", device, sizeof device},
    {"/filters.js", "text/javascript; charset=utf-8", filters, sizeof filters},
    {"/frame.js", "text/javascript; charset=utf-8", frame, sizeof frame},
    {"/palette.js", "text/javascript; charset=utf-8", palette, sizeof palette},
    {"/person.js", "text/javascript; charset=utf-8", person, sizeof person},
    {"/profile.js", "text/javascript; charset=utf-8", profile, sizeof profile},
    {"/powers.js", "text/javascript; charset=utf-8", powers, sizeof powers},
    {"/role.js", "text/javascript; charset=utf-8", role, sizeof role},
    {"/roles.js", "text/javascript; charset=utf-8", roles, sizeof roles},
    {"/table.js", "text/javascript; charset=utf-8", table, sizeof table},
    {"/actions.js", "text/javascript; charset=utf-8", actions, sizeof actions},
    {"/listing.js", "text/javascript; charset=utf-8", listing, sizeof listing},
    {"/home.js", "text/javascript; charset=utf-8", home, sizeof home},
    {"/access.js", "text/javascript; charset=utf-8", access, sizeof access},
    {"/attribute-texts.js", "text/javascript; charset=utf-8", attribute_texts, sizeof attribute_texts},
    {"/attributes.js", "text/javascript; charset=utf-8", attributes, sizeof attributes},
    {"/choices.js", "text/javascript; charset=utf-8", choices, sizeof choices},
    {"/conflict.js", "text/javascript; charset=utf-8", conflict, sizeof conflict},
    {"/copy.js", "text/javascript; charset=utf-8", copy, sizeof copy},
    {"/crumbs.js", "text/javascript; charset=utf-8", crumbs, sizeof crumbs},
    {"/elements.js", "text/javascript; charset=utf-8", elements, sizeof elements},
    {"/fields.js", "text/javascript; charset=utf-8", fields, sizeof fields},
    {"/history.js", "text/javascript; charset=utf-8", history, sizeof history},
    {"/manager.js", "text/javascript; charset=utf-8", manager, sizeof manager},
    {"/person-roles.js", "text/javascript; charset=utf-8", person_roles, sizeof person_roles},
    {"/profile-form.js", "text/javascript; charset=utf-8", profile_form, sizeof profile_form},
    {"/values.js", "text/javascript; charset=utf-8", values, sizeof values},
    {"/views.js", "text/javascript; charset=utf-8", views, sizeof views},
    {"/typed.js", "text/javascript; charset=utf-8", typed, sizeof typed},
    {"/policies.js", "text/javascript; charset=utf-8", policies, sizeof policies},
    {"/recipes.js", "text/javascript; charset=utf-8", recipes, sizeof recipes},
    {"/apps.js", "text/javascript; charset=utf-8", apps, sizeof apps},
    {"/tokens.js", "text/javascript; charset=utf-8", tokens, sizeof tokens},
    {"/trust.js", "text/javascript; charset=utf-8", trust, sizeof trust},
    {"/app-passwords.js", "text/javascript; charset=utf-8", app_passwords, sizeof app_passwords},
    {"/attribute-admin.js", "text/javascript; charset=utf-8", attribute_admin, sizeof attribute_admin},
    {"/audit.js", "text/javascript; charset=utf-8", audit, sizeof audit},
    {"/importing.js", "text/javascript; charset=utf-8", importing, sizeof importing},
    {"/texts.js", "text/javascript; charset=utf-8", texts, sizeof texts},
    {"/texts-de.json", "application/json", texts_de, sizeof texts_de},
    {"/texts-es.json", "application/json", texts_es, sizeof texts_es},
    {"/texts-ja.json", "application/json", texts_ja, sizeof texts_ja},
    {"/page.js", "text/javascript; charset=utf-8", script, sizeof script},
};

size_t page_file_count(void) { return sizeof files / sizeof *files; }
page_file page_file_at(size_t index) {
    return index < page_file_count() ? files[index] : (page_file){"", "", html, 0};
}

static const unsigned char sign_in_pages[] = {
#embed "sign-in/pages.html"
};
static const unsigned char sign_in_style[] = {
#embed "sign-in/style.css"
};
static const unsigned char mail_en_invitation[] = {
#embed "mail/en/invitation.txt"
};
static const unsigned char mail_en_address[] = {
#embed "mail/en/address.txt"
};
static const unsigned char mail_en_reset[] = {
#embed "mail/en/reset.txt"
};
static const unsigned char mail_en_sign_in[] = {
#embed "mail/en/sign-in.txt"
};
static const unsigned char mail_en_sign_ins[] = {
#embed "mail/en/sign-ins.txt"
};
static const unsigned char mail_de_sign_in[] = {
#embed "mail/de/sign-in.txt"
};
static const unsigned char mail_de_sign_ins[] = {
#embed "mail/de/sign-ins.txt"
};
static const unsigned char mail_de_invitation[] = {
#embed "mail/de/invitation.txt"
};
static const unsigned char mail_de_address[] = {
#embed "mail/de/address.txt"
};
static const unsigned char mail_de_reset[] = {
#embed "mail/de/reset.txt"
};
static const unsigned char mail_es_invitation[] = {
#embed "mail/es/invitation.txt"
};
static const unsigned char mail_es_address[] = {
#embed "mail/es/address.txt"
};
static const unsigned char mail_es_reset[] = {
#embed "mail/es/reset.txt"
};
static const unsigned char mail_es_sign_in[] = {
#embed "mail/es/sign-in.txt"
};
static const unsigned char mail_es_sign_ins[] = {
#embed "mail/es/sign-ins.txt"
};
static const unsigned char mail_ja_invitation[] = {
#embed "mail/ja/invitation.txt"
};
static const unsigned char mail_ja_address[] = {
#embed "mail/ja/address.txt"
};
static const unsigned char mail_ja_reset[] = {
#embed "mail/ja/reset.txt"
};
static const unsigned char mail_ja_sign_in[] = {
#embed "mail/ja/sign-in.txt"
};
static const unsigned char mail_ja_sign_ins[] = {
#embed "mail/ja/sign-ins.txt"
};
static const unsigned char sign_in_texts[] = {
#embed "sign-in/texts.json"
};
static const unsigned char common_passwords[] = {
#embed "words/common-passwords.txt"
};

page_text page_sign_in_pages(void) { return (page_text){sign_in_pages, sizeof sign_in_pages}; }
page_text page_sign_in_style(void) { return (page_text){sign_in_style, sizeof sign_in_style}; }
page_text page_sign_in_texts(void) { return (page_text){sign_in_texts, sizeof sign_in_texts}; }
page_text page_common_passwords(void) { return (page_text){common_passwords, sizeof common_passwords}; }

page_text page_mail(const char *name) {
    if (strcmp(name, "en/invitation") == 0) return (page_text){mail_en_invitation, sizeof mail_en_invitation};
    if (strcmp(name, "en/address") == 0) return (page_text){mail_en_address, sizeof mail_en_address};
    if (strcmp(name, "en/reset") == 0) return (page_text){mail_en_reset, sizeof mail_en_reset};
    if (strcmp(name, "en/sign-in") == 0) return (page_text){mail_en_sign_in, sizeof mail_en_sign_in};
    if (strcmp(name, "en/sign-ins") == 0) return (page_text){mail_en_sign_ins, sizeof mail_en_sign_ins};
    if (strcmp(name, "de/sign-in") == 0) return (page_text){mail_de_sign_in, sizeof mail_de_sign_in};
    if (strcmp(name, "de/sign-ins") == 0) return (page_text){mail_de_sign_ins, sizeof mail_de_sign_ins};
    if (strcmp(name, "de/invitation") == 0) return (page_text){mail_de_invitation, sizeof mail_de_invitation};
    if (strcmp(name, "de/address") == 0) return (page_text){mail_de_address, sizeof mail_de_address};
    if (strcmp(name, "de/reset") == 0) return (page_text){mail_de_reset, sizeof mail_de_reset};
    if (strcmp(name, "es/invitation") == 0) return (page_text){mail_es_invitation, sizeof mail_es_invitation};
    if (strcmp(name, "es/address") == 0) return (page_text){mail_es_address, sizeof mail_es_address};
    if (strcmp(name, "es/reset") == 0) return (page_text){mail_es_reset, sizeof mail_es_reset};
    if (strcmp(name, "es/sign-in") == 0) return (page_text){mail_es_sign_in, sizeof mail_es_sign_in};
    if (strcmp(name, "es/sign-ins") == 0) return (page_text){mail_es_sign_ins, sizeof mail_es_sign_ins};
    if (strcmp(name, "ja/invitation") == 0) return (page_text){mail_ja_invitation, sizeof mail_ja_invitation};
    if (strcmp(name, "ja/address") == 0) return (page_text){mail_ja_address, sizeof mail_ja_address};
    if (strcmp(name, "ja/reset") == 0) return (page_text){mail_ja_reset, sizeof mail_ja_reset};
    if (strcmp(name, "ja/sign-in") == 0) return (page_text){mail_ja_sign_in, sizeof mail_ja_sign_in};
    if (strcmp(name, "ja/sign-ins") == 0) return (page_text){mail_ja_sign_ins, sizeof mail_ja_sign_ins};
    return (page_text){mail_en_reset, 0};
}
