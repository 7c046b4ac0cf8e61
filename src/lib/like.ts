/** Patterns of LIKE and ILIKE that take every character of a text for itself. */

/** Matches texts that contain the given one; `%%`, which matches all, for an empty one. */
export const likePart = (text: string): string => `%${text.replace(/[\\%_]/g, String.raw`\$&`)}%`
