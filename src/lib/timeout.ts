/**
 * Settles like `work` when that settles within `ms`, otherwise with the result or exception of `onLate`. The
 * timer ends with the work.
 */
export async function withTimeout<T, L>(work: Promise<T>, ms: number, onLate: () => L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms))).then(onLate)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
