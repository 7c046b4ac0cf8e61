// @vitest-environment node
import { describe, expect, it } from 'vitest'
import { readSource } from './sources.ts'

const read = (code: string) => readSource('page.tsx', code)

describe('readSource', () => {
  it('finds visible text in a component', () => {
    const { visible } = read(`
      const a = <p>Hello <b>{'there'}</b> {open ? 'Close' : t('open')} {busy && 'Wait'}</p>
      const b = <img alt="A road" src="road.png" />
      const c = <button aria-label={open ? 'Shut' : undefined} title={\`\${n} pieces\`} />
      const d = <PickRow label="Country" />
    `)
    expect(visible).toEqual(
      ['Hello', 'there', 'Close', 'Wait', 'A road', 'Shut', '  pieces', 'Country'].map((each) =>
        expect.stringContaining(each.trim()),
      ),
    )
  })

  it('ignores attributes and expressions that are not shown', () => {
    const { visible } = read(`
      const a = <input name="email" type="text" className="box" autoComplete="username" />
      const b = <p>{t('greeting')} · {count} {state === 'paid' ? t('paid') : null}</p>
      const c = <meta name="description" content={description} />
      const d = <Dialog onClose={() => close('done')} title={t('title')} />
    `)
    expect(visible).toEqual([])
  })

  it('finds literal and computed keys and their namespaces', () => {
    const { literals, computed, namespaces } = read(`
      const { t } = useTranslation(['home', 'header'])
      const a = t(open ? 'close' : \`tabs.\${tab}\`)
      const b = text('auth', 'login.title')
    `)
    expect([...literals]).toEqual(expect.arrayContaining(['close', 'login.title']))
    expect([...computed]).toEqual(['tabs.*'])
    expect([...namespaces]).toEqual(['home', 'header', 'auth'])
  })
})
