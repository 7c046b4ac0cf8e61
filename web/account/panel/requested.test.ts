import { expect, it } from 'vitest'
import { panelHref, withRequested } from './requested.ts'
import { defaultSettings } from './settings.ts'

const berlin = {
  ...defaultSettings,
  countries: [{ code: 'de', name: 'Germany' }],
  cities: [{ code: 'berlin', name: 'Berlin', state_code: null, country_code: 'de' }],
  interval: 30,
}
const read = (href: string) => withRequested(berlin, new URL(href, 'http://shop.test').searchParams)

it('the generator reads what it writes', () => {
  const href = panelHref({
    countries: ['de', 'pl'],
    pool: 'mobile',
    session: 'sticky',
    minutes: 10,
    lines: 20,
  })
  expect(href).toBe('/account?tab=panel&pool=mobile&countries=de%2Cpl&session=sticky&minutes=10&lines=20')
  expect(read(href)).toMatchObject({
    countries: [{ code: 'de' }, { code: 'pl' }],
    cities: [],
    session_type: 'sticky',
    interval: 10,
    proxy_amount: 20,
  })
})

it('the generator keeps the saved settings that the address does not name', () => {
  expect(panelHref({})).toBe('/account?tab=panel')
  expect(read(panelHref({ lines: 5 }))).toEqual({ ...berlin, proxy_amount: 5 })
  expect(read(panelHref({ session: 'rotating' })).interval).toBe(0)
})

it('the generator leaves out what is invalid', () =>
  expect(read('/account?tab=panel&countries=DE,<b>,deu&session=x&minutes=-1&lines=10001')).toEqual(berlin))
