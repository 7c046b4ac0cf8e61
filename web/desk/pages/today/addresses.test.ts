import { expect, it } from 'vitest'
import { pages } from '../../frame/pages.ts'
import { hasPage } from './addresses.ts'

it('Today leads to every page of the navigation and to no other place', () => {
  for (const { path } of pages.filter((page) => page.path !== '/'))
    expect(hasPage(`${path}?state=paid`)).toBe(true)
  for (const href of [
    '/nowhere',
    '//elsewhere.example',
    'https://elsewhere.example/invoices',
    'javascript:0',
  ])
    expect(hasPage(href)).toBe(false)
})
