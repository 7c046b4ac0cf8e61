// @vitest-environment node
/** The pages stay whole when a browser translates them: see mixed-text.ts. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { componentsGivenText, componentsReturningText, componentsWithSlot, mixedTexts } from './mixed-text.ts'
import { translatedFigures } from './untranslated.ts'

const web = path.join(import.meta.dirname, '..')
const sources = globSync('**/*.tsx', { cwd: web })
  .toSorted()
  .map((file) => ({ file, code: readFileSync(path.join(web, file), 'utf8') }))

const found = (jsx: string) =>
  mixedTexts('page.tsx', `function Page({ t, n, children }) { return ${jsx} }`).map(({ text }) => text)

test('every text that may change stands in an element of its own', () => {
  expect(sources.length).toBeGreaterThan(200)
  const mixed = sources.flatMap(({ file, code }) =>
    mixedTexts(file, code).map(({ text }) => `${file}: ${text.replaceAll(/\s+/g, ' ')}`),
  )
  expect(mixed).toEqual([])
})

test('no component that renders its children beside something else is given text', () => {
  const withSlot = new Set(sources.flatMap(({ file, code }) => componentsWithSlot(file, code)))
  expect(withSlot.size).toBeGreaterThan(5)
  const given = sources.flatMap(({ file, code }) =>
    componentsGivenText(file, code)
      .filter((name) => withSlot.has(name))
      .map((name) => `${file}: ${name}`),
  )
  expect(given).toEqual([])
})

test('no component returns text without an element', () => {
  const returning = sources.flatMap(({ file, code }) =>
    componentsReturningText(file, code).map((name) => `${file}: ${name}`),
  )
  expect(returning).toEqual([])
  expect(componentsReturningText('a.tsx', 'function Name({ t }) { return t("a") }')).toEqual(['Name'])
})

test('figures, lines, codes and logins are not translated', () => {
  const translated = sources.flatMap(({ file, code }) =>
    translatedFigures(file, code).map(({ name }) => `${file}: ${name}`),
  )
  expect(translated).toEqual([])
})

test.each([
  ['a text beside an element', '<p><b/>{t("a")}</p>', ['{t("a")}']],
  ['a text that appears', '<p><b/>{n > 0 && t("a")}</p>', ['{n > 0 && t("a")}']],
  ['a fixed text beside an element that appears', '<p>and {n > 0 && <b/>}</p>', ['and ']],
  ['two texts', '<p>{t("a")}, {n}</p>', ['{t("a")}', ', ', '{n}']],
  ['a text alone in a fragment', '<>{t("a")}</>', ['{t("a")}']],
  ['a text in one branch', '<p><b/>{n ? <i/> : t("a")}</p>', ['{n ? <i/> : t("a")}']],
  ['a text inside of a component', '<Note>{t("a")} <b/></Note>', ['{t("a")}']],
  ['the texts of a list', '<p><b/>{n.map((one) => one.name)}</p>', ['{n.map((one) => one.name)}']],
])('%s is found', (_title, jsx, expected) => expect(found(jsx)).toEqual(expected))

test.each([
  ['a text alone', '<p>{t("a")}</p>'],
  ['a text in an element of its own', '<p><b/><span>{t("a")}</span></p>'],
  ['a fixed text beside fixed elements', '<p>and <b/></p>'],
  ['elements that appear', '<p>{n > 0 && <b/>}{n ? <i/> : null}{n.map((one) => <li key={one}/>)}</p>'],
  ['the properties for elements', '<p><b/>{children}</p>'],
])('%s is left alone', (_title, jsx) => expect(found(jsx)).toEqual([]))
