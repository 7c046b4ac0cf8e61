/** The periods, in days, for which inviters see what they earned. */
export const earningDays = [30, 90] as const
