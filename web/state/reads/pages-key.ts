/**
 * The key of a read by pages. The key of the same call as a plain read must differ: both have one cache, and the
 * data of one has not the shape of the other's.
 */
export const pagesKey = <const Rest extends readonly unknown[]>(call: string, ...rest: Rest) =>
  [call, 'pages', ...rest] as const
