/** The content that client programs fetch: pages over HTTP and HTTPS, and a git repository as plain files. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { promisify } from 'node:util'
import { startOrigin } from '#test/origin'
import { certificateFolder } from '../../src/gateway/testing/certificates.ts'

export interface Site {
  /** `http://127.0.0.1:port` and `https://127.0.0.1:port`: the same pages, those of test/origin.ts. */
  http: string
  https: string
  /** A repository with one commit, readable by the "dumb" protocol, over either. */
  git: string
  gitOverTls: string
  /** The self-signed certificate of the HTTPS side. */
  certificate: string
  folder: string
  close: () => Promise<void>
}

export interface Said {
  code: number
  out: string
  err: string
}

/** Runs a client program to its end, without this machine's own proxy settings. */
export async function program(
  file: string,
  parameters: string[],
  env: Record<string, string> = {},
): Promise<Said> {
  const clean = { PATH: process.env['PATH'] ?? '', HOME: tmpdir(), LC_ALL: 'C', ...env }
  const options = { env: clean, encoding: 'latin1' as const, maxBuffer: 64 << 20, timeout: 25_000 }
  return await promisify(execFile)(file, parameters, options).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    (fault: { code?: number | string; stdout?: string; stderr?: string }) => {
      // A missing program is not a refused client.
      if (typeof fault.code !== 'number') throw fault
      return { code: fault.code, out: fault.stdout ?? '', err: fault.stderr ?? '' }
    },
  )
}

const listen = (server: Server) =>
  new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  )

async function makeRepository(folder: string): Promise<void> {
  const [work, bare] = [path.join(folder, 'work'), path.join(folder, 'shop.git')]
  const author = ['-c', 'user.name=Shop', '-c', 'user.email=shop@example.com']
  const git = async (...words: string[]) => {
    const { code, err } = await program('git', words)
    if (code !== 0) throw new Error(err)
  }
  await git('init', '-q', '-b', 'main', work)
  writeFileSync(path.join(work, 'README'), 'cloned through the proxy\n')
  await git('-C', work, 'add', 'README')
  await git('-C', work, ...author, 'commit', '-q', '-m', 'First')
  await git('clone', '-q', '--bare', work, bare)
  await git('-C', bare, 'update-server-info')
}

export async function startSite(): Promise<Site> {
  const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-site-'))
  const certificates = certificateFolder()
  // When an agent has connected to an address, Node's client expects this machine's name in the certificate.
  const pair = certificates.make('site', ['127.0.0.1', 'here.test', 'localhost'])
  await makeRepository(folder)
  const origin = await startOrigin()
  const files = createHttpServer((request, response) => {
    const file = path.join(folder, path.normalize(new URL(request.url ?? '', 'http://x').pathname))
    try {
      response.end(readFileSync(file))
    } catch {
      response.writeHead(404).end()
    }
  })
  const sockets = new Set<Socket>()
  const fronts: Server[] = []
  const front = async (port: number) => {
    const server = createTlsServer(
      { cert: readFileSync(pair.cert), key: readFileSync(pair.key), ALPNProtocols: ['http/1.1'] },
      (socket) => {
        const behind = connect(port, '127.0.0.1')
        for (const each of [socket, behind]) {
          sockets.add(each)
          each.on('error', () => undefined)
          each.on('close', () => (socket.destroy(), behind.destroy(), sockets.delete(each)))
        }
        socket.pipe(behind).pipe(socket)
      },
    )
    fronts.push(server)
    return await listen(server)
  }
  const filesPort = await listen(files)
  return {
    http: `http://127.0.0.1:${origin.httpPort}`,
    https: `https://127.0.0.1:${await front(origin.httpPort)}`,
    git: `http://127.0.0.1:${filesPort}/shop.git`,
    gitOverTls: `https://127.0.0.1:${await front(filesPort)}/shop.git`,
    certificate: pair.cert,
    folder,
    async close() {
      for (const socket of sockets) socket.destroy()
      files.closeAllConnections()
      await Promise.all([files, ...fronts].map((server) => new Promise((resolve) => server.close(resolve))))
      await origin.close()
      certificates.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
