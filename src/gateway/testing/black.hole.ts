/** For tests: an address whose kernel no longer answers, because its accept queue is full. */

import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'

export interface BlackHole {
  host: string
  port: number
  close(): Promise<void>
}

function filler(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port }, () => resolve(socket))
    socket.on('error', reject)
  })
}

/** Listens on an address of loopback, on this port or any free one. */
export async function blackHole({ host = '127.0.0.1', port: wanted = 0 } = {}): Promise<BlackHole> {
  const code = `
    const { parentPort, workerData } = require('node:worker_threads')
    const server = require('node:net').createServer()
    server.listen({ ...workerData, backlog: 1 }, () => {
      parentPort.postMessage(server.address().port)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    })`
  const worker = new Worker(code, { eval: true, workerData: { host, port: wanted } })
  const port = await new Promise<number>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  // Linux queues one connection more than configured; the kernel drops what comes after them.
  const fillers = [await filler(host, port), await filler(host, port)]
  return {
    host,
    port,
    async close() {
      for (const socket of fillers) socket.destroy()
      await worker.terminate()
    },
  }
}
