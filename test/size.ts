/** The extent of a test: `npm test` runs a part, `npm run test:long` all of it, with the same checks. */
export const isLong = process.env['TEST_LONG'] === '1'

export const sized = (usual: number, long: number) => (isLong ? long : usual)

/**
 * The time within which the product promises something: measured by `npm run test:long`, in which no other
 * test runs.
 */
export const promisedMs = (milliseconds: number) => sized(15_000, milliseconds)
