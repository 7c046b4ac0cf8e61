import type { DeskOutput } from '#contract/desk/contract'
import { pictureAddress } from '#contract/desk/client'

/** A picture of the brand, from the desk: it may not be public yet. */
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
  const size = { width: Math.round((shown * width) / height), height: shown }
  return <img {...size} src={pictureAddress('brand_picture', { file })} alt={alt} />
}
