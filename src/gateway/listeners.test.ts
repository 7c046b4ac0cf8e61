import { type ChildProcess, fork, type SendHandle } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { freePort } from '#test/ports'
import { bindSocket, type BoundHandle } from './sockets/socket.factory.ts'

const children: ChildProcess[] = []
let bound: BoundHandle | null = null

afterEach(async () => {
  bound?.close()
  bound = null
  await Promise.all(
    children.splice(0).map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }),
  )
})

async function startAcceptor(number: number): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'testing/acceptor.ts'), [String(number)])
  children.push(child)
  await once(child, 'message')
  return child
}

async function ask(child: ChildProcess, message: string, handle?: BoundHandle): Promise<void> {
  const done = once(child, 'message')
  child.send(message, handle as SendHandle)
  await done
}

/** The number of the process that answers one connection. */
async function answered(port: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' })
  let text = ''
  socket.setEncoding('latin1').on('data', (some: string) => void (text += some))
  await once(socket, 'close')
  return text
}

it('no connection is lost while processes take turns on a port that a third one has bound', async () => {
  const port = await freePort()
  const own = bindSocket('127.0.0.1', port)
  bound = own
  const acceptors = [await startAcceptor(1), await startAcceptor(2)]
  await ask(acceptors[0] as ChildProcess, 'accept', own)
  expect(await answered(port)).toBe('1')
  let isOver = false
  const answers: string[] = []
  const clients = Array.from({ length: 16 }, async () => {
    while (!isOver) answers.push(await answered(port))
  })
  for (let turn = 0; turn < 20; turn++) {
    const [next, last] = turn % 2 === 0 ? [1, 0] : [0, 1]
    await ask(acceptors[next] as ChildProcess, 'accept', own)
    await ask(acceptors[last] as ChildProcess, 'accept_no_more')
    const until = answers.length + 50
    while (answers.length < until) await new Promise((resolve) => setImmediate(resolve))
  }
  isOver = true
  // A refused or reset connection rejects here.
  await Promise.all(clients)
  expect(new Set(answers)).toEqual(new Set(['1', '2']))
}, 60_000)

it('connections wait while no process accepts, and the next one gets them', async () => {
  const port = await freePort()
  const own = bindSocket('127.0.0.1', port)
  bound = own
  const first = await startAcceptor(1)
  await ask(first, 'accept', own)
  expect(await answered(port)).toBe('1')
  const ended = once(first, 'exit')
  first.kill('SIGKILL')
  await ended
  const waiting = answered(port)
  const second = await startAcceptor(2)
  await ask(second, 'accept', own)
  expect(await waiting).toBe('2')
}, 60_000)

it('a port in use is refused as listening on it is', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  expect(() => bindSocket('127.0.0.1', port)).toThrow(
    expect.objectContaining({ code: 'EADDRINUSE', syscall: 'listen', port }),
  )
  server.close()
})
