/** Waits until a condition outside of any socket holds. */
export async function eventually(condition: () => boolean, what: string, deadlineMs = 5000): Promise<void> {
  const deadline = performance.now() + deadlineMs
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
