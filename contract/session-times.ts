/** How long sessions of lines last; apart from the lines, because the home page needs no more of them. */

/** The longest session, in minutes. */
export const maxSessionMinutes = 10_000

/** How long a sticky session lasts whose line names no time, in minutes. */
export const defaultSessionMinutes = 10
