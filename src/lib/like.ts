/** Patterns of LIKE and ILIKE in which every character of the text is literal. */

/** A pattern that matches texts containing the given text; for an empty text `%%`, which matches all. */
export const likePart = (text: string): string => `%${text.replace(/[\\%_]/g, String.raw`\$&`)}%`
