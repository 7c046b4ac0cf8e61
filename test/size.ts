/** The extent of a test: `npm test` runs a part, `npm run test:long` all of it, with the same checks. */
export const isLong = process.env['TEST_LONG'] === '1'

export const sized = (usual: number, long: number) => (isLong ? long : usual)

/**
 * A promised time limit of the product: exact in `npm run test:long`, where no other test runs at the same
 * time, longer otherwise.
 */
export const promisedMs = (milliseconds: number) => sized(15_000, milliseconds)
