/**
 * `npx node bench/gateway/spellings.ts`: sends `test/conformance/spellings.ts` on loopback to the gateway and
 * to each installed one of squid, tinyproxy and 3proxy, and prints the table of docs/gateway-tests.md.
 */
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { basic } from '../../src/gateway/testing/bench.ts'
import { launch, makeFolder, startPeer } from '../../test/peers.ts'
import { freePort } from '../../test/ports.ts'
import { probeAll } from '../../test/conformance/spellings.probe.ts'
import { OPENED, type Spelling, spellings } from '../../test/conformance/spellings.ts'
import { startWay } from '../../test/conformance/ways.ts'

interface Proxy {
  port: number
  /** The line of its credentials, with its end. */
  login: string
  stop: () => Promise<void>
}

/** A proxy that reads its configuration from one file. */
async function startConfigured(
  program: string,
  lines: (port: number) => string[],
  options: (file: string) => string[],
): Promise<Proxy> {
  const [folder, port] = [makeFolder(program), await freePort()]
  const file = path.join(folder, `${program}.conf`)
  writeFileSync(file, `${lines(port).join('\n')}\n`)
  return { port, login: '', stop: await launch(program, options(file), port, folder) }
}

const proxies: Record<string, () => Promise<Proxy>> = {
  async Turnpike() {
    const { port, close } = await startWay('over the bare connection')
    return { port, login: basic(), stop: close }
  },
  async squid() {
    const { port, login, stop } = await startPeer('squid')
    return { port, login: basic(login?.username, login?.password), stop }
  },
  tinyproxy: () =>
    startConfigured(
      'tinyproxy',
      (port) => [
        `Port ${port}`,
        'Listen 127.0.0.1',
        'Allow 127.0.0.1',
        'MaxClients 100',
        'Timeout 10',
        'LogLevel Critical',
      ],
      (file) => ['-d', '-c', file],
    ),
  '3proxy': () =>
    startConfigured(
      '3proxy',
      (port) => ['auth none', 'allow *', `proxy -p${port} -i127.0.0.1`],
      (file) => [file],
    ),
}

/**
 * Proxies add different things to the request line, so the table shows only whether the target was reached,
 * and with which path.
 */
function cell(became: string | number, { becomes }: Spelling): string {
  if (became === becomes || became === OPENED)
    return became === OPENED ? 'tunnel' : becomes === 400 ? '400' : 'passed'
  if (typeof became === 'number') return String(became)
  if (becomes === 400 && /^(?:GET \/|POST \/p) HTTP\/1\.1$/.test(became)) return 'passed'
  if (/[\x80-\xff]/.test(became)) return 'passed raw'
  return became.includes(' HTTP/')
    ? `\`${JSON.stringify(became)
        .slice(1, -1)
        .replaceAll('|', String.raw`\|`)}\``
    : became
}

const folders = ['/usr/sbin', ...(process.env['PATH'] ?? '').split(path.delimiter)]
const isInstalled = (program: string) => folders.some((folder) => existsSync(path.join(folder, program)))

const columns: [name: string, cells: string[]][] = []
for (const [name, start] of Object.entries(proxies)) {
  if (name !== 'Turnpike' && !isInstalled(name)) {
    console.error(`${name} is not installed and is left out`)
    continue
  }
  const proxy = await start()
  const outcomes = await probeAll(proxy.port, proxy.login, spellings)
  columns.push([name, spellings.map((spelling, index) => cell(outcomes[index]?.became ?? '', spelling))])
  await proxy.stop()
}
console.log(`| what a client sends | ${columns.map(([name]) => name).join(' | ')} | why |`)
console.log(`| --- |${' --- |'.repeat(columns.length + 1)}`)
for (const [index, { name, reason }] of spellings.entries())
  console.log(
    `| ${name.replaceAll('|', String.raw`\|`)} | ${columns.map(([, cells]) => cells[index]).join(' | ')} | ${reason.replaceAll('|', String.raw`\|`)} |`,
  )
