// SPDX-License-Identifier: MIT
// The sliders: each sets where its right picture begins.
for (const slider of document.querySelectorAll(".slider")) {
  const range = slider.querySelector("input");
  range.addEventListener("input", () => slider.style.setProperty("--at", `${range.value}%`));
}
