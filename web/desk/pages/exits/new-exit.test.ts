import { expect, it } from 'vitest'
import { countriesIn, emptyForm, exitIn, type Preset } from './new-exit.ts'

const preset: Preset = {
  name: 'seller',
  title: 'Seller',
  http: { host: 'gw.seller.example', port: 823 },
  socks5: null,
  takes_username: true,
  username_example: 'abc',
  levels: ['country'],
  options: [{ key: 'anon', meaning: '1' }],
}
const form = { ...emptyForm, name: ' one ', preset: 'seller', username: 'abc', password: ' secret ' }

it('the form uses the address of the preset, and keeps a password as typed', () => {
  expect(exitIn({ ...form, options: { anon: '1', other: 'x', empty: '' } }, preset)).toMatchObject({
    name: 'one',
    host: null,
    port: null,
    password: ' secret ',
    options: { anon: '1' },
    countries: null,
  })
})

it('the form is incomplete without a name, or without an address where the preset has none', () => {
  expect(exitIn({ ...form, name: ' ' }, preset)).toBeNull()
  expect(exitIn({ ...form, kind: 'socks5' }, preset)).toBeNull()
  expect(exitIn({ ...form, preset: '' }, undefined)).toBeNull()
  expect(exitIn({ ...form, preset: '', host: 'x.example', port: '1080' }, undefined)).toMatchObject({
    preset: null,
    host: 'x.example',
    port: 1080,
  })
  expect(exitIn({ ...form, host: 'x.example' }, preset)).toBeNull()
  expect(exitIn({ ...form, weight: '0' }, preset)).toBeNull()
  expect(exitIn({ ...form, limit: 'many' }, preset)).toBeNull()
})

it('the form reads countries with spaces or commas, each once', () => {
  expect(countriesIn(' DE, us;de ')).toEqual(['de', 'us'])
  expect(countriesIn('germany')).toBeNull()
  expect(exitIn({ ...form, countries: 'germany' }, preset)).toBeNull()
})

it('this machine has no address and no login, and needs the country in which it is', () => {
  const own = { ...form, kind: 'direct', host: 'x.example', port: '1', tls: true } as const
  expect(exitIn(own, preset)).toBeNull()
  expect(exitIn({ ...own, countries: 'de' }, preset)).toEqual({
    pool: 'residential',
    name: 'one',
    kind: 'direct',
    preset: null,
    host: null,
    port: null,
    username: null,
    password: null,
    options: {},
    tls: false,
    weight: 1,
    max_connections: null,
    countries: ['de'],
  })
})
