/** The extent of a test: `npm test` runs a part, `npm run test:long` all of it, with the same checks. */
export const isLong = process.env['TEST_LONG'] === '1'

export const sized = (usual: number, long: number) => (isLong ? long : usual)
