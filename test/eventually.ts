/** Waits until a condition that is not about a socket holds. */
export async function eventually(condition: () => boolean, what: string, deadlineMs = 30_000): Promise<void> {
  const deadline = performance.now() + deadlineMs
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`timed out waiting for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
