import { afterEach, expect, it, vi } from 'vitest'
import { fillTypedText } from './typed-text.fill.ts'
import { typedText } from './typed-text.ts'

const page = (html: string) => {
  document.body.innerHTML = html
}
const field = (name: string) => document.querySelector<HTMLInputElement>(`[name="${name}"]`)

afterEach(() => {
  page('')
  vi.unstubAllGlobals()
})

it('the page never keeps passwords, codes, or text that was not typed', () => {
  page(`
    <label>Old <input type="password" value="secret"></label>
    <label>New <input type="text" autocomplete="new-password" value="shown secret"></label>
    <label>Code <input autocomplete="one-time-code" value="123456"></label>
    <label>Recovery <input data-secret value="abcd"></label>
    <label>Card <input autocomplete="cc-number" value="4242"></label>
    <label>Fixed <input readonly value="name"></label>
    <label>Agree <input type="checkbox" checked></label>
    <input type="hidden" value="token">
    <label>Empty <input value=""></label>
    <label>Sites <input value="example.com"></label>
    <label for="note">Note</label><textarea id="note">two\nlines</textarea>`)
  expect(typedText().map(({ label, value }) => [label, value])).toEqual([
    ['Sites', 'example.com'],
    ['Note', 'two\nlines'],
  ])
})

it('typed text is restored once, to the same field; in a dialog, once it has been opened again', async () => {
  const dialog = (title: string, value: string) =>
    `<div role="dialog" aria-labelledby="title"><h2 id="title">${title}</h2><label>Name <input name="name" value="${value}"></label></div>`
  page(`<label>Name <input name="first" value="one"></label><label>Name <input name="second" value="two"></label>
    ${dialog('New proxy user', 'Anna')}`)
  const typed = typedText()
  expect(typed).toHaveLength(3)
  page('<label>Name <input name="first"></label><label>Name <input name="second"></label>')
  const heard = vi.fn<() => void>()
  field('second')?.addEventListener('input', heard)
  fillTypedText(typed, window.location.pathname)
  expect([field('first')?.value, field('second')?.value]).toEqual(['one', 'two'])
  expect(heard).toHaveBeenCalledOnce()

  const open = (title: string) => {
    const place = document.createElement('div')
    place.innerHTML = dialog(title, '')
    document.body.append(place)
    return () => place.remove()
  }
  const close = open('Another dialog')
  await new Promise((resolve) => setTimeout(resolve))
  expect(field('name')?.value).toBe('')
  close()
  open('New proxy user')
  await expect.poll(() => field('name')?.value).toBe('Anna')
})

it('typed text is not restored on another page', async () => {
  page('<label>Name <input name="name" value="Anna"></label>')
  const typed = typedText()
  page('<label>Name <input name="name"></label>')
  fillTypedText(typed, '/elsewhere')
  await new Promise((resolve) => setTimeout(resolve))
  expect(field('name')?.value).toBe('')
})
