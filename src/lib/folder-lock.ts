import { statSync } from 'node:fs'
import { createServer } from 'node:net'

/**
 * Ensures that at most one process at a time does `purpose` with this folder. The lock is a name in Linux's
 * abstract socket space: the kernel releases it when its holder ends, and it leaves no file behind. Elsewhere
 * there is no such space, and every process gets the lock, so nothing that must be exclusive on those systems
 * may rely on it. Returns the function that releases the lock; undefined when another process has it.
 *
 * bootstrap/lock.mjs is another lock: it runs where TypeScript cannot, and survives in a child process.
 */
export function tryFolderLock(purpose: string, folder: string): Promise<(() => void) | undefined> {
  if (process.platform !== 'linux') return Promise.resolve(() => undefined)
  const { dev, ino } = statSync(folder)
  const server = createServer((socket) => socket.destroy())
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    )
    server.unref()
    server.listen(`\0turnpike-${purpose}-${dev}-${ino}`, () => resolve(() => void server.close()))
  })
}
