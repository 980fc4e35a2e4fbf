/* Reads a page over and over with libxml2: its tree, then one walk that takes what stands in eight fields.
   Arguments: a file, milliseconds, how many fields must be found. Prints pages per second of its own CPU. */
#include <libxml/HTMLparser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long found, units;

static int is(xmlNodePtr node, const char *attribute, const char *value) {
  xmlChar *given = xmlGetProp(node, BAD_CAST attribute);
  int same = given != NULL && strcmp((const char *)given, value) == 0;
  xmlFree(given);
  return same;
}

static void keep(xmlChar *text) {
  if (text == NULL) return;
  found += 1;
  units += (long)strlen((const char *)text);
  xmlFree(text);
}

static void look(xmlNodePtr node) {
  const char *name = (const char *)node->name;
  if (strcmp(name, "h1") == 0 && is(node, "class", "product-title")) keep(xmlNodeGetContent(node));
  else if (strcmp(name, "span") == 0 && (is(node, "class", "price") || is(node, "class", "stock"))) keep(xmlNodeGetContent(node));
  else if (strcmp(name, "div") == 0 && is(node, "class", "product")) keep(xmlGetProp(node, BAD_CAST "data-sku"));
  else if (strcmp(name, "a") == 0 && is(node, "class", "brand")) keep(xmlNodeGetContent(node));
  else if (strcmp(name, "meta") == 0 && is(node, "itemprop", "ratingValue")) keep(xmlGetProp(node, BAD_CAST "content"));
  else if (strcmp(name, "img") == 0 && is(node, "class", "main")) keep(xmlGetProp(node, BAD_CAST "src"));
  else if (strcmp(name, "td") == 0 && node->parent != NULL && is(node->parent, "class", "spec-weight")) keep(xmlNodeGetContent(node));
}

static void walk(xmlNodePtr node) {
  for (; node != NULL; node = node->next) {
    if (node->type != XML_ELEMENT_NODE) continue;
    look(node);
    walk(node->children);
  }
}

static char *contents(const char *path, long *length) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return NULL;
  fseek(file, 0, SEEK_END);
  *length = ftell(file);
  rewind(file);
  char *bytes = malloc((size_t)*length);
  if (bytes != NULL && fread(bytes, 1, (size_t)*length, file) != (size_t)*length) bytes = NULL;
  fclose(file);
  return bytes;
}

int main(int count, char **arguments) {
  if (count != 4) return 2;
  long length = 0, pages = 0;
  char *bytes = contents(arguments[1], &length);
  if (bytes == NULL) return 2;
  clock_t most = (clock_t)(atol(arguments[2]) * (CLOCKS_PER_SEC / 1000));
  clock_t start = clock(), spent;
  do {
    found = 0;
    htmlDocPtr page = htmlReadMemory(bytes, (int)length, NULL, "utf-8",
                                     HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_RECOVER);
    walk(xmlDocGetRootElement(page));
    xmlFreeDoc(page);
    if (found != atol(arguments[3])) {
      fprintf(stderr, "found %ld fields\n", found);
      return 1;
    }
    pages += 1;
    spent = clock() - start;
  } while (spent < most);
  printf("%f\n", (double)pages * CLOCKS_PER_SEC / (double)spent);
  return units == 0;
}
