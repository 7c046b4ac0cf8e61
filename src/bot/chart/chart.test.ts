import { describe, expect, it } from 'vitest'
import { axisOf, drawUsage, size } from './picture.ts'
import { renderPng } from './render.ts'

const days = (bytes: number[]) =>
  bytes.map((paidBytes, index) => ({
    day: `2026-11-${String(index + 1).padStart(2, '0')}`,
    paidBytes,
    bonusBytes: 0,
  }))
const picture = (bytes: number[], language: 'ru' | 'en' = 'en') =>
  drawUsage({
    title: 'Usage <of> "all" & more',
    subtitle: 'By day',
    legend: { paid: 'Bought', bonus: 'Bonus' },
    language,
    days: days(bytes),
  })

describe('the picture of usage', () => {
  it.each([
    [0, 1e6, 'MB'],
    [1, 1e6, 'MB'],
    [999_999_999, 1e9, 'MB'],
    [1e9, 1e9, 'GB'],
    [6.1e9, 10e9, 'GB'],
    [150e9, 200e9, 'GB'],
    [3e15, 5e15, 'TB'],
  ])('has an axis that holds %d bytes', (most, top, unit) => {
    expect(axisOf(most).top).toBeCloseTo(top, -3)
    expect(axisOf(most).unit.en).toBe(unit)
    expect(axisOf(most).top).toBeGreaterThanOrEqual(most)
  })

  it('escapes its texts and names units in the language of the reader', () => {
    const svg = picture([2e9, 4e9], 'ru')
    expect(svg).toContain('Usage &lt;of&gt; &quot;all&quot; &amp; more')
    expect(svg).toContain('ГБ')
    expect(svg).not.toContain('GB')
    expect(svg.match(/<rect x="[\d.]+" y="[\d.]+" width="90"/g)).toHaveLength(2)
  })

  it('is drawn for nothing, for a month, and by several at once', async () => {
    const all = await Promise.all(
      [picture([0]), picture(Array.from({ length: 30 }, (_, n) => n * 1e8))].map(renderPng),
    )
    for (const png of all) {
      expect(png.subarray(1, 4).toString()).toBe('PNG')
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([size.width, size.height])
      // The picture contains letters and bars: an empty one would be smaller.
      expect(png.length).toBeGreaterThan(8000)
    }
  })
})
