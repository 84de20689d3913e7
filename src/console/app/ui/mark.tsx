/** The seal of the house: a line of the roll, ticked. */
export const Mark = () => (
  <svg viewBox="0 0 32 32" aria-hidden="true">
    <rect x="1.5" y="1.5" width="29" height="29" rx="8" fill="currentColor" />
    <g class="mark-lines" fill="none" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round">
      <path d="M8.500 9.500h15" />
      <path d="m8.500 16.200 3.400 3.300 6.400-6.600" />
      <path d="M22 16.200h1.500" />
      <path d="M8.500 23.200h15" />
    </g>
  </svg>
)
