import { describe, expect, it } from 'vitest'
import { maskedToken } from '../../state/token/api-token.ts'
import { curlSample, pythonSample, typescriptSample } from './samples.ts'

const access = { origin: 'https://shop.example', token: 'tpr_abc', pool: 'mobile' } as const

describe('samples of the API', () => {
  it('contain the URL and the token', () => {
    for (const sample of [curlSample(access), pythonSample(access), typescriptSample(access)]) {
      expect(sample).toContain('https://shop.example/api/rpc/get_proxy')
      expect(sample).toContain('Bearer tpr_abc')
    }
  })

  it('send one JSON body from a shell', () => {
    const body = /-d '(.*)'$/s.exec(curlSample(access))?.[1] ?? ''
    expect(JSON.parse(body)).toMatchObject({ quantity: 10, pool: 'mobile' })
  })
})

describe('maskedToken', () => {
  it('leaves only the prefix visible', () => expect(maskedToken('tpr_secret')).toBe('tpr_••••••••••••'))
})
