/**
 * The client of visitor.ts in a process of its own, whose socket has a receive buffer of a fixed size. Linux
 * lets a receive buffer grow up to `net.ipv4.tcp_rmem` otherwise, and a client that is delayed may reset its
 * connection with as many unread bytes. Node.js cannot set the size: Python opens the socket, then executes
 * Node.js.
 */
import { execFile } from 'node:child_process'
import { Socket } from 'node:net'
import { promisify } from 'node:util'
import { type Count, type Errand, type Protocol, run, type Way } from './visitor.ts'

interface Task {
  protocol: Protocol
  way: Way
  /** The request in base64. */
  request: string
  abortAfter: number
}

const bufferBytes = 256 * 1024

const opener = `
import os, socket, sys
port, node, script, task = sys.argv[1:]
client = socket.socket()
client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, ${bufferBytes})
client.connect(('127.0.0.1', int(port)))
os.set_inheritable(client.fileno(), True)
os.execv(node, [node, script, str(client.fileno()), task])
`

/** As `run`, with a receive buffer of 256 KiB; the errand must name after how many bytes the client resets. */
export async function runBounded(
  protocol: Protocol,
  way: Way,
  { request, abortAfter }: Required<Errand>,
): Promise<Count> {
  const task: Task = { protocol, way, request: Buffer.concat(request).toString('base64'), abortAfter }
  const parameters = [String(way.port), process.execPath, import.meta.filename, JSON.stringify(task)]
  const { stdout } = await promisify(execFile)('python3', ['-c', opener, ...parameters])
  return JSON.parse(stdout) as Count
}

if (import.meta.main) {
  const [descriptor, text = ''] = process.argv.slice(2)
  const { protocol, way, request, abortAfter } = JSON.parse(text) as Task
  const errand = { request: [Buffer.from(request, 'base64')], abortAfter }
  const count = await run(protocol, way, errand, new Socket({ fd: Number(descriptor) }))
  process.stdout.write(JSON.stringify(count))
}
