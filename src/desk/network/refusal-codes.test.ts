import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { refusalCodes } from '#contract/desk/choices'

const gateway = path.join(import.meta.dirname, '../../gateway')

/** The calls that make refusals, a status before the code, and the parts that replace the code of another. */
const making =
  /(?:(?:refusal|refusalParts|targetFailure)\(\s*[\w.]+,\s*|unavailable\(|code: (?='[a-z]+_))'([a-z_]+)'/g

it('every refusal of the gateway is explained in the desk, and nothing else is', () => {
  const files = readdirSync(gateway, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('testing'),
  )
  const codes = new Set(
    files.flatMap((file) =>
      [...readFileSync(path.join(gateway, file), 'utf8').matchAll(making)].map(([, code]) => code),
    ),
  )
  expect([...codes].filter((code) => code !== undefined).toSorted()).toEqual([...refusalCodes])
})
