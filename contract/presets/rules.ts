/** Bounds of presets that the browser needs too. */

export const mostPresets = 50
/** The most presets with a secret link. */
export const mostLinks = 20
/** The most characters of a preset's settings as JSON. */
export const longestSettings = 8000
/** How many lines may be tried in a minute. */
export const trialsPerMinute = 10

/** The path of a secret link, which a token follows; its PAC file is `/proxy.pac` below it. */
export const linkPath = '/api/lines'
