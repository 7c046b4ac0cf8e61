import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openDatabase } from './db.ts'
import { migrate } from './migrate.ts'

/**
 * Writes schema.ts from the migrations: `node src/db/codegen.ts`. With `--verify` it writes nothing and exits
 * with status 1 when schema.ts differs from what the migrations produce.
 */
const outFile = fileURLToPath(new URL('schema.ts', import.meta.url))

/** The types that the pool's parsers produce: see connections/pool.ts. */
const typeMapping = { int8: 'bigint' }

const dataDir = await mkdtemp(join(tmpdir(), 'turnpike-codegen-'))
try {
  const database = await openDatabase({ dataDir, role: 'owner', durable: false })
  try {
    await migrate(database)
    process.exitCode = await generate(database.url, process.argv.includes('--verify'))
  } finally {
    await database.close()
  }
} finally {
  await rm(dataDir, { recursive: true, force: true })
}

function generate(url: string, verify: boolean): Promise<number> {
  const require = createRequire(import.meta.url)
  const cli = join(dirname(require.resolve('kysely-codegen')), 'cli/bin.js')
  const args = ['--dialect', 'postgres', '--url', url, '--out-file', outFile, '--date-parser', 'string']
  args.push('--type-mapping', JSON.stringify(typeMapping), '--default-schema', 'public')
  args.push(
    '--exclude-pattern',
    '{migration,*_rest,*_[0-9][0-9][0-9][0-9]_[0-9][0-9]}',
    '--log-level',
    'error',
  )
  if (verify) args.push('--verify')
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [cli, ...args], (error, stdout, stderr) => {
      process.stdout.write(stdout)
      // The difference is printed, without the stack trace of the tool.
      process.stderr.write(stderr.replace(/^ {4}at .*\n|^Node\.js v.*\n/gm, ''))
      if (error !== null && verify)
        process.stderr.write('src/db/schema.ts is out of date: run npm run codegen.\n')
      resolve(error === null ? 0 : (child.exitCode ?? 1))
    })
  })
}
