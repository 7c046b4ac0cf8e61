/** Patterns of LIKE and ILIKE in which every character of the text is literal. */

/** Matches texts that contain the given one; `%%`, which matches all, for an empty one. */
export const likePart = (text: string): string => `%${text.replace(/[\\%_]/g, String.raw`\$&`)}%`
