import { expect, test } from 'vitest'
import { tabs } from '../account-tabs.ts'
import { fileNameOfFrame, frameOf, frames, languageOfCookie } from './frames.ts'

test('there is a frame for each tab, with a file name of its own', () => {
  expect(frames).toHaveLength(tabs.length + 1)
  const names = frames.map(fileNameOfFrame)
  expect(new Set(names).size).toBe(frames.length)
  for (const name of names) expect(name).toMatch(/^[a-z-]+$/i)
})

test('an address has the frame of its tab; an unknown tab has that of the overview', () => {
  const at = (query: string) => frameOf('/account', new URLSearchParams(query))
  expect(at('')).toBe('/account')
  expect(at('tab=panel&pool=mobile')).toBe('/account?tab=panel')
  expect(at('invoice=INV-1')).toBe('/account?tab=invoices')
  expect(at('tab=../../etc')).toBe('/account')
  expect(frameOf('/login', new URLSearchParams('tab=panel'))).toBe('/login')
})

test('the language is that of the cookie, and of no other cookie', () => {
  expect(languageOfCookie('lang=en')).toBe('en')
  expect(languageOfCookie('a=1; lang=en ; b=2')).toBe('en')
  expect(languageOfCookie('xlang=en; lang=english')).toBe('ru')
  expect(languageOfCookie(undefined)).toBe('ru')
})
