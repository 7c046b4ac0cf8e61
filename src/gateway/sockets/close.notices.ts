/** Notices that sockets are closed, which their users get after the call that closed them has returned. */

interface Closed {
  onClosed(): void
}

/**
 * Closed sockets whose users are not notified yet. The two sockets of a tunnel are mostly closed together,
 * and share one callback.
 */
let closed: Closed[] = []

function notifyAll(): void {
  const sockets = closed
  closed = []
  for (const socket of sockets) socket.onClosed()
}

export function notifyLater(socket: Closed): void {
  if (closed.length === 0) process.nextTick(notifyAll)
  closed.push(socket)
}
