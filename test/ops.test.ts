/** Files for operators: they cannot be run here, but must at least agree with the program. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { metricsPorts } from '../src/main/settings/settings.feed.ts'

const root = path.join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(path.join(root, name), 'utf8')

/** Every variable that the program reads, by the names in its settings. */
const settingNames = new Set(
  globSync(['src/main/**/settings*.ts', 'contract/desk/shop-settings.ts'], { cwd: root })
    .filter((name) => !name.endsWith('.test.ts'))
    .flatMap((name) =>
      [...read(name).matchAll(/\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|HOST|PORT|DEMO)\b/g)].map(([, word]) => word),
    ),
)
/** Read by other programs: Compose, Caddy, PostgreSQL's image, Node.js. */
const others = new Set([
  'SHOP_HOST',
  'SHOP_UPSTREAM',
  'POSTGRES_PASSWORD',
  'POSTGRES_USER',
  'POSTGRES_DB',
  'POSTGRES_INITDB_ARGS',
  'NODE_ENV',
])
const isKnown = (name: string) => settingNames.has(name) || others.has(name)

interface Service {
  image?: string
  command?: string[]
  environment?: Record<string, string>
  network_mode?: string
  volumes?: string[]
  depends_on?: Record<string, unknown>
  healthcheck?: { test: string[] }
}

describe('compose.yaml', () => {
  const { services, volumes } = parse(read('ops/compose.yaml'), { merge: true }) as {
    services: Record<string, Service>
    volumes: Record<string, null>
  }
  const ours = Object.entries(services).filter(([, service]) => service.image === 'turnpike')

  it('runs every part of the program, with existing commands', () => {
    const commands = ours.map(([, { command }]) => command?.join(' '))
    expect(new Set(commands)).toEqual(new Set(['api', 'bot', 'gateway', 'migrate', 'worker']))
    const program = read('src/main/commands/shop.ts') + read('src/main/commands/bot.ts')
    for (const command of commands) expect(program).toContain(`command('${command}')`)
  })

  it('sets only variables that are read', () => {
    for (const { environment = {} } of Object.values(services))
      expect(Object.keys(environment).filter((name) => !isKnown(name))).toEqual([])
  })

  it('names only existing volumes and services', () => {
    for (const { volumes: mounted = [], depends_on = {} } of Object.values(services)) {
      const named = mounted
        .map((mount) => mount.split(':')[0] ?? '')
        .filter((source) => !source.startsWith('.'))
      expect(named.filter((source) => !(source in volumes))).toEqual([])
      expect(Object.keys(depends_on).filter((name) => !(name in services))).toEqual([])
    }
  })

  it('asks each part at its own port whether it is ready', () => {
    const pages = ours.flatMap(([name, { healthcheck }]) => {
      const [, page] = /fetch\('(.*?)'\)/.exec(healthcheck?.test.at(-1) ?? '') ?? []
      return page === undefined ? [] : [[name, page] as const]
    })
    const { worker, gateway } = metricsPorts
    expect(Object.fromEntries(pages)).toEqual({
      api: 'http://127.0.0.1:3000/readyz',
      worker: `http://127.0.0.1:${worker}/readyz`,
      gateway: `http://127.0.0.1:${gateway}/readyz`,
    })
    expect(services['worker']?.environment?.['METRICS_LISTEN']).toBe('0.0.0.0')
    // On the host's network strangers reach every address but this one.
    expect(services['gateway']?.environment?.['METRICS_LISTEN']).toBe('127.0.0.1')
  })

  it('exposes client addresses to the gateway, and keeps its journal', () => {
    expect(services['gateway']).toMatchObject({
      network_mode: 'host',
      volumes: ['gateway:/var/lib/turnpike'],
    })
  })
})

describe('the image', () => {
  const lines = read('ops/Dockerfile')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  const of = (word: string) => lines.filter((line) => line.startsWith(`${word} `))

  it('is built from pinned versions, and copies existing files', () => {
    for (const from of of('FROM')) expect(from).toMatch(/^FROM [a-z]+:\d[\w.-]*( AS \w+)?$/)
    const copied = of('COPY')
      .filter((line) => !line.includes('--from') && line !== 'COPY . .')
      .flatMap((line) => line.split(' ').slice(1, -1))
    expect(copied.filter((name) => !existsSync(path.join(root, name)))).toEqual([])
  })

  it('runs as an unprivileged user, without a shell', () => {
    expect(of('USER').at(-1)).toBe('USER turnpike')
    const last = lines.findIndex((line) => line.startsWith('USER'))
    expect(lines.slice(last).some((line) => /^(RUN|COPY|ADD) /.test(line))).toBe(false)
    expect(of('ENTRYPOINT')).toEqual(['ENTRYPOINT ["node", "src/main/commands/turnpike.ts"]'])
    expect(existsSync(path.join(root, 'src/main/commands/turnpike.ts'))).toBe(true)
  })
})

describe('settings', () => {
  const assigned = (text: string) =>
    [...text.matchAll(/^#?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name ?? '')

  it('of env.example and the units are settings of the program', () => {
    const files = globSync('ops/systemd/*.service', { cwd: root })
    expect(files).toHaveLength(6)
    // Each timer starts a unit of its name.
    const timers = globSync('ops/systemd/*.timer', { cwd: root })
    expect(
      timers.map((name) => name.replace('.timer', '.service')).filter((name) => !files.includes(name)),
    ).toEqual([])
    const units = files.map(read)
    const inUnits = units.flatMap((text) =>
      [...text.matchAll(/^Environment=(.*)$/gm)].flatMap(([, pairs = '']) =>
        pairs.split(' ').map((pair) => pair.split('=')[0] ?? ''),
      ),
    )
    const named = [...assigned(read('ops/env.example')), ...inUnits]
    expect(named.length).toBeGreaterThan(8)
    expect(named.filter((name) => !isKnown(name))).toEqual([])
  })
})

describe('metrics', () => {
  const documented = new Set(
    [...read('docs/metrics.md').matchAll(/`(turnpike_[a-z_]+)`/g)].map(([, name]) => name),
  )
  const used = (text: string) =>
    [...text.matchAll(/\bturnpike_[a-z_]+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, ''))

  it('used by alerts and the dashboard are exported by the program', () => {
    for (const file of ['ops/prometheus/alerts.yaml', 'ops/grafana/turnpike.json']) {
      const names = new Set(used(read(file)))
      expect(names.size).toBeGreaterThan(5)
      expect([...names].filter((name) => !documented.has(name))).toEqual([])
    }
  })

  it('have alerts with an expression and a sentence each', () => {
    const { groups } = parse(read('ops/prometheus/alerts.yaml')) as {
      groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[]
    }
    for (const { alert, expr, annotations } of groups.flatMap((group) => group.rules)) {
      expect(alert).toMatch(/^Turnpike[A-Z]/)
      expect(expr.trim()).not.toBe('')
      expect(annotations.summary).not.toBe('')
    }
  })
})
