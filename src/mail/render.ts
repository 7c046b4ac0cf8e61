/**
 * A letter as HTML, rendered from React elements. It uses tables and inline styles, since mail programs
 * support little else, and no remote images or fonts, so that opening the letter causes no request: the logo
 * is attached. Node does not run .tsx, hence `h`.
 */
import { render } from '@react-email/render'
import { createElement as h, type CSSProperties, type ReactElement } from 'react'
import { type AccentTokens, tokensOf } from '#contract/colours'
import type { Language } from '#contract/language'
import { type LetterBrand, logosOf } from './brand.ts'
import type { Letter } from './letter.ts'
import { textOf } from './letter.ts'

/** The light tokens of the product; `darkStyles` has the dark ones. */
const color = {
  ground: '#F4F3EF',
  surface: '#FFFFFF',
  ink: '#14171A',
  quiet: '#555B63',
  line: '#DAD8D0',
}
const sans = "Onest, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
const mono = "'JetBrains Mono', ui-monospace, 'SF Mono', Menlo, Consolas, monospace"

const darkStyles = ({ accent }: LetterBrand) => `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .ground { background: #101215 !important; }
  .card { background: #171A1F !important; border-color: #2A2F37 !important; }
  .ink { color: #ECEBE6 !important; }
  .quiet { color: #9AA1AB !important; }
  .link { color: ${tokensOf(accent.dark, 'dark')['paint-text']} !important; }
  .logo-light { display: none !important; }
  .logo-dark { display: block !important; }
  .rule { border-color: #2A2F37 !important; }
}
@media (max-width: 480px) { .pad { padding-left: 20px !important; padding-right: 20px !important; } }
`

const bare = { cellPadding: 0, cellSpacing: 0, border: 0, role: 'presentation' } as const

const paragraph = (text: string, className: string, style: CSSProperties, key: string) =>
  h('p', { key, className, style: { margin: '0 0 16px', ...style } }, text)

/** The decoration: the centre line of a road, three dashes. */
function lane({ paint }: AccentTokens): ReactElement {
  const dash = (key: string) =>
    h('td', { key, width: 24, height: 4, style: { background: paint, lineHeight: '4px', fontSize: 4 } })
  const gap = (key: string) =>
    h('td', { key, width: 12, style: { fontSize: 4, lineHeight: '4px' } }, '\u00a0')
  const cells = [dash('1'), gap('2'), dash('3'), gap('4'), dash('5')]
  return h('table', { ...bare, 'aria-hidden': true }, h('tbody', null, h('tr', null, cells)))
}

function facts(letter: Letter): ReactElement | null {
  if (letter.facts.length === 0) return null
  const cell: CSSProperties = { padding: '8px 0', borderTop: `1px solid ${color.line}`, verticalAlign: 'top' }
  const rows = letter.facts.map(({ label, value }) =>
    h(
      'tr',
      { key: label },
      h('td', { className: 'quiet rule', style: { ...cell, color: color.quiet, paddingRight: 16 } }, label),
      h(
        'td',
        {
          className: 'ink rule',
          align: 'right',
          style: { ...cell, color: color.ink, fontFamily: mono, fontSize: 14, wordBreak: 'break-all' },
        },
        value,
      ),
    ),
  )
  return h('table', { ...bare, width: '100%', style: { marginBottom: 24 } }, h('tbody', null, rows))
}

function button(letter: Letter, tokens: AccentTokens): ReactElement[] {
  if (letter.button === null) return []
  const { label, href } = letter.button
  const anchor = h(
    'a',
    {
      href,
      style: {
        display: 'inline-block',
        padding: '14px 24px',
        color: tokens['on-paint'],
        fontWeight: 600,
        textDecoration: 'none',
        borderRadius: 6,
      },
    },
    label,
  )
  const cell = h(
    'td',
    { bgcolor: tokens.paint, style: { background: tokens.paint, borderRadius: 6 } },
    anchor,
  )
  const small: CSSProperties = { color: color.quiet, fontSize: 14, lineHeight: '20px' }
  return [
    h('table', { ...bare, key: 'button' }, h('tbody', null, h('tr', null, cell))),
    paragraph(letter.buttonHelp, 'quiet', { ...small, margin: '24px 0 4px' }, 'help'),
    h(
      'p',
      { key: 'address', style: { margin: '0 0 24px', fontSize: 13, lineHeight: '20px', fontFamily: mono } },
      h(
        'a',
        { href, className: 'link', style: { color: tokens['paint-text'], wordBreak: 'break-all' } },
        href,
      ),
    ),
  ]
}

function card(letter: Letter, brand: LetterBrand): ReactElement {
  const tokens = tokensOf(brand.accent.light, 'light')
  const inside = h(
    'td',
    { className: 'pad', style: { padding: '32px 40px' } },
    lane(tokens),
    h(
      'h1',
      {
        className: 'ink',
        style: { margin: '20px 0 16px', color: color.ink, fontSize: 28, lineHeight: '36px', fontWeight: 650 },
      },
      letter.heading,
    ),
    letter.paragraphs.map((text) => paragraph(text, 'ink', { color: color.ink, marginBottom: 24 }, text)),
    facts(letter),
    button(letter, tokens),
    h(
      'div',
      { className: 'rule', style: { borderTop: `1px solid ${color.line}`, paddingTop: 16 } },
      letter.notes.map((text) =>
        paragraph(
          text,
          'quiet',
          { color: color.quiet, fontSize: 14, lineHeight: '20px', marginBottom: 8, overflowWrap: 'anywhere' },
          text,
        ),
      ),
    ),
  )
  const style: CSSProperties = {
    background: color.surface,
    border: `1px solid ${color.line}`,
    borderRadius: 10,
    borderCollapse: 'separate',
  }
  const table = h(
    'table',
    { ...bare, className: 'card', width: '100%', style },
    h('tbody', null, h('tr', null, inside)),
  )
  return h('td', { style: { padding: '32px 16px' } }, logo(brand), name(brand), table)
}

const logoHeight = 36

/** The logo, with another one where the mail program is dark. */
function logo(brand: LetterBrand): ReactElement[] {
  return logosOf(brand).map(({ id, picture, theme }) => {
    const height = Math.min(logoHeight, Math.round((240 * picture.height) / picture.width))
    const width = Math.round((height * picture.width) / picture.height)
    const isHidden = theme === 'dark'
    return h('img', {
      key: id,
      src: `cid:${id}`,
      alt: brand.logoText === '' ? brand.name : '',
      width,
      height,
      ...(theme === 'both' ? {} : { className: `logo-${theme}` }),
      style: { display: isHidden ? 'none' : 'block', margin: '0 0 12px', border: 0 },
    })
  })
}

const name = ({ name: text, logo: picture, logoText }: LetterBrand) =>
  picture !== null && logoText === ''
    ? null
    : paragraph(text, 'ink', { color: color.ink, fontSize: 18, fontWeight: 700 }, 'brand')

function page(letter: Letter, brand: LetterBrand, language: Language): ReactElement {
  const hidden: CSSProperties = { display: 'none', overflow: 'hidden', maxHeight: 0, maxWidth: 0, opacity: 0 }
  const head = h(
    'head',
    null,
    h('meta', { httpEquiv: 'Content-Type', content: 'text/html; charset=utf-8' }),
    h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    h('meta', { name: 'color-scheme', content: 'light dark' }),
    // A user name may look like a telephone number or a date, which some mail programs turn into links.
    h('meta', { name: 'format-detection', content: 'telephone=no, date=no, address=no, email=no, url=no' }),
    h('title', null, letter.subject),
    h('style', { dangerouslySetInnerHTML: { __html: darkStyles(brand) } }),
  )
  const outer = h(
    'table',
    { ...bare, className: 'ground', width: '100%', style: { background: color.ground } },
    h('tbody', null, h('tr', null, h('td', { align: 'center' }, column(letter, brand)))),
  )
  const body: CSSProperties = {
    margin: 0,
    padding: 0,
    background: color.ground,
    fontFamily: sans,
    fontSize: 16,
    lineHeight: '24px',
  }
  return h(
    'html',
    { lang: language },
    head,
    h('body', { className: 'ground', style: body }, h('div', { style: hidden }, letter.preview), outer),
  )
}

const column = (letter: Letter, brand: LetterBrand): ReactElement =>
  h(
    'table',
    { ...bare, width: '100%', style: { maxWidth: 600, textAlign: 'left' } },
    h('tbody', null, h('tr', null, card(letter, brand))),
  )

/** Both parts of a letter. */
export async function renderLetter(
  letter: Letter,
  brand: LetterBrand,
  language: Language,
): Promise<{ html: string; text: string }> {
  return { html: await render(page(letter, brand, language)), text: textOf(letter, brand.name) }
}
