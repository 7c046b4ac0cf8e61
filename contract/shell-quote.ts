/**
 * A text as one argument of a POSIX shell: in single quotes, in which only the single quote itself is
 * special.
 */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
