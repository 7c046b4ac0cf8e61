import { useToldRead } from '../../state/told-read.ts'
import type { DeskOutput } from '#contract/desk/contract'
import { query } from '../../state/api.ts'

/** A picture of the brand, which the desk loads by itself: it may not be public yet. */
export function BrandImage({
  picture: { file, width, height },
  alt,
  height: shown,
}: {
  picture: DeskOutput<'upload_picture'>
  alt: string
  /** In pixels. */
  height: number
}) {
  const { data } = useToldRead(query('brand_picture', { file }))
  const size = { width: Math.round((shown * width) / height), height: shown }
  if (data === undefined) return <span style={{ display: 'inline-block', ...size }} />
  return <img {...size} src={`data:${data.content_type};base64,${data.picture}`} alt={alt} />
}
