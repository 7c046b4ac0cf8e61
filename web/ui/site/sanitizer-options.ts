/**
 * The allow list of DOMPurify for the operator's HTML: text and its formatting; nothing that runs code or
 * loads resources.
 */
export const sanitizerOptions = {
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
