/** Dates and times in inputs. */

/** A year that databases, calendars and workbooks have: all of them have those from 1900 to 2999. */
export const isOfOurTime = (text: string): boolean => text >= '1900' && text < '3000'
