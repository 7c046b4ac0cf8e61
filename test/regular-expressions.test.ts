/**
 * No regular expression takes more than linear time, whatever the length of the matched text: webhooks'
 * bodies, sellers' answers, user agents, targets, paths. The test parses all sources and checks every one.
 */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { analyse } from 'scslre'
import { parseSync } from 'vite'
import { expect, it } from 'vitest'
import { presets } from '#exits/presets'

const root = path.resolve(import.meta.dirname, '..')

const digits = 'the digits of one number'
const settings = 'settings of the operator, read once'
const typed = 'what a person has typed, in their own browser'
const own = 'files of the program, while it is built'

/** The expressions that take longer than linear time, with the reason why their texts are short. */
const bounded: Record<string, string> = {
  'contract/amounts.ts 0+$': digits,
  'contract/traffic.ts 0+$': digits,
  'contract/desk/shop-settings.ts 0+$': digits,
  'src/documents/words.ts 0+$': digits,
  'src/lib/money.ts 0+$': digits,
  'web/desk/parts/amounts.ts 0+$': digits,
  'src/main/settings/settings.feed.ts ^(?:\\[([\\da-fA-F:.]+)\\]|([\\w.-]*[A-Za-z.][\\w.-]*))$': settings,
  'src/main/settings/settings.ts ^(?:"?([^"<>@\\p{C}]*?)"?\\s*<)?([^\\s<>@"]+@[^\\s<>@"]+?)>?$': settings,
  'src/main/gateway/rules.ts ^[a-z]+:\\/\\/(?:[^/?#]*@)?([^/?#@]*)[^?#]*\\??(.*)$': settings,
  'src/db/connections/servers.ts ^(postgres(?:ql)?:\\/\\/)((?:[^/?#]*@)?)([^/?#@]*)(.*)$': settings,
  "src/db/connections/client.ts ^\\s*set (local )?statement_timeout *= *'?(\\d+) *(ms|s|min|h)?'?\\s*$":
    'statements of the program',
  'src/accounts/signin/user-agent.ts \\bVersion\\/[\\d.]+.*\\bSafari\\/': '300 characters of the header',
  'src/inventory/place-ids.ts ^_+|_+$': 'runs of _ are one character long by then',
  'web/account/palette/country-finder.ts [аеиоуыэюя]+$': typed,
  'web/desk/pages/payments/fee-terms.ts ^\\s*0*(?:[.,]0*)?\\s*$': typed,
  'web/ui/site/legal-text.tsx \\n\\s*\\n|\\n(?=#)|(?<=^#[^\\n]*)\\n':
    'a page that the operator has written, each line of which is looked back over once',
  'web/build/class-names.ts \\?.*$': own,
  'web/build/pages.ts \\s*<(?:div class="opening".*<\\/div>|link rel="stylesheet" href="\\/opening\\.css"[^>]*>)':
    own,
  'web/build/pages.ts \\s*<(?:script type="module"|link rel="modulepreload")[^>]*>(?:<\\/script>)?': own,
  'web/build/pages.ts \\s*<title>[^<]*<\\/title>': own,
}

/** The files that build expressions at run time, with the parts of these. */
const composed: Record<string, string> = {
  'contract/bill/bill.ts': 'constants, of a line of bounded fields',
  'src/bot/account/invoices.ts': 'constants; data of a button has 64 bytes',
  'src/bot/account/user.routes.ts': 'constants; data of a button has 64 bytes',
  'src/bot/generator.ts': 'constants; data of a button has 64 bytes',
  'src/desk/customers/connections.calls.ts': 'a host with each sign escaped: nothing is repeated',
  'src/gateway/exits/answers.ts': 'a target with each sign escaped: nothing is repeated',
  'src/gateway/exits/failure.ts': 'words of presets, which are tried below',
  'src/main/process/log.ts': 'a list of names',
  'web/desk/pages/today/use-named-pools.ts': 'the names of pools',
  'web/storefront/docs/sold-samples.ts': 'the names of pools',
}

interface Found {
  file: string
  pattern: string
  flags: string
}

/** The expressions of a file, and whether it makes others while it runs. */
function expressionsIn(file: string): { found: Found[]; isComposing: boolean } {
  const { program } = parseSync(file, readFileSync(path.join(root, file), 'utf8'))
  const found: Found[] = []
  let isComposing = false
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if (Array.isArray(node)) return node.forEach(visit)
    const { type, regex, callee } = node as {
      type?: string
      regex?: { pattern: string; flags: string }
      callee?: { name?: string }
    }
    if (type === 'Literal' && regex !== undefined) found.push({ file, ...regex })
    isComposing ||= callee?.name === 'RegExp'
    for (const value of Object.values(node)) visit(value)
  }
  visit(program)
  return { found, isComposing }
}

const files = globSync('{src,contract,web}/**/*.{ts,tsx}', { cwd: root }).filter(
  // Tests and test support are no part of the program; the demo's places are built once.
  (file) => !/\.test\.tsx?$|\/testing\/|^src\/inventory\/demo\/build\.ts$/.test(file),
)
const read = files.map(expressionsIn)

const isSlow = (pattern: string, flags: string) =>
  // An expression without unbounded repetition takes no longer on a longer text.
  /[*+]|,\}/.test(pattern) && analyse({ source: pattern, flags }).reports.length > 0

it('every regular expression takes linear time, or meets texts of a bounded length', () => {
  const all = read.flatMap(({ found }) => found)
  expect(all.length).toBeGreaterThan(300)
  const judged = new Map<string, boolean>()
  const slow = all.filter(({ pattern, flags }) => {
    const key = `${flags} ${pattern}`
    const known = judged.get(key) ?? isSlow(pattern, flags)
    judged.set(key, known)
    return known
  })
  const named = [...new Set(slow.map(({ file, pattern }) => `${file} ${pattern}`))]
  expect(named.toSorted()).toEqual(Object.keys(bounded).toSorted())
}, 60_000)

it('expressions are built at run time only in files whose parts are known', () => {
  const composing = files.filter((_file, at) => read[at]?.isComposing)
  expect(composing.toSorted()).toEqual(Object.keys(composed).toSorted())
  for (const { name, errors = [] } of presets)
    for (const { word } of errors)
      if (word !== undefined) expect(isSlow(word, 'i'), `${name}: ${word}`).toBe(false)
})

it('slow expressions are found, such as the one with which a picture once blocked all visitors', () => {
  expect(isSlow('[^\\s@"\',;:<>]+@[^\\s@"\',;:<>]+', 'g')).toBe(true)
  expect(isSlow('(a+)+$', '')).toBe(true)
  expect(isSlow('\\s+$', '')).toBe(true)
  expect(isSlow('^\\s+', '')).toBe(false)
  expect(isSlow('[^a-z]+', 'g')).toBe(false)
})
