/** Stored when lines were made for the first time in this browser. */
export const firstLineKey = 'first-line'
