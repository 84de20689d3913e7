import type { Locator } from 'playwright-core'

/** The contrast of an element's border with its background, from 1 to 21 (WCAG 1.4.11), once animations are over. */
export const edgeContrast = (element: Locator) =>
  element.evaluate(async (element) => {
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished))
    const { borderTopColor, backgroundColor } = getComputedStyle(element)
    const [darker = 0, lighter = 0] = [borderTopColor, backgroundColor].map(luminance).sort((a, b) => a - b)
    return (lighter + 0.05) / (darker + 0.05)

    function luminance(color: string) {
      const canvas = new OffscreenCanvas(1, 1).getContext('2d')
      if (!canvas) throw new Error('there is no canvas context')
      canvas.fillStyle = color
      canvas.fillRect(0, 0, 1, 1)
      const [red = 0, green = 0, blue = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map(linear)
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    function linear(channel: number) {
      const share = channel / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    }
  })
