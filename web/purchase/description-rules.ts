/** What of an operator's HTML is kept: words and their marks; nothing that runs, or loads from elsewhere. */
export const kept = {
  ALLOWED_TAGS: [
    'a',
    'b',
    'strong',
    'i',
    'em',
    'u',
    's',
    'code',
    'small',
    'br',
    'p',
    'ul',
    'ol',
    'li',
    'span',
  ],
  ALLOWED_ATTR: ['href'],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|tg:)/i,
}
