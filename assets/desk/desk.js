// What the pages do beyond forms: the key in the address is exchanged, a passkey is asked, and the
// desk is told that somebody looks. All else works without.
"use strict";

const field = (form, name) => form.querySelector(`[name="${name}"]`);
const bytes = (hex) => Uint8Array.from(hex.match(/../g) || [], (pair) => parseInt(pair, 16));
const hex = (buffer) =>
  Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");

function enter() {
  const form = document.querySelector("form[data-enter]");
  const key = new URLSearchParams(location.hash.slice(1)).get(form ? form.dataset.enter : "");
  if (!form || !key) return;
  history.replaceState(null, "", location.pathname);
  field(form, "key").value = key;
  if (form.dataset.enter === "t") form.submit();
}

function complain(form, error) {
  const place = form.querySelector("[data-problem]");
  place.textContent = `The passkey did not answer: ${error.message}`;
  place.hidden = false;
}

async function approve(form) {
  const { challenge, keys } = form.dataset;
  const allowed = keys.split(" ").map((id) => ({ type: "public-key", id: bytes(id) }));
  const said = await navigator.credentials.get({
    publicKey: {
      challenge: bytes(challenge),
      rpId: "localhost",
      allowCredentials: allowed,
      userVerification: "required",
    },
  });
  field(form, "credential").value = hex(said.rawId);
  field(form, "authenticator").value = hex(said.response.authenticatorData);
  field(form, "client").value = hex(said.response.clientDataJSON);
  field(form, "signature").value = hex(said.response.signature);
  form.submit();
}

async function register(form) {
  const { user, challenge } = form.dataset;
  const made = await navigator.credentials.create({
    publicKey: {
      challenge: bytes(challenge),
      rp: { id: "localhost", name: "Tollgate" },
      user: { id: bytes(challenge).slice(0, 16), name: user, displayName: user },
      pubKeyCredParams: [{ type: "public-key", alg: -7 }],
      authenticatorSelection: { userVerification: "required" },
      attestation: "none",
    },
  });
  field(form, "authenticator").value = hex(made.response.getAuthenticatorData());
  form.submit();
}

// Passkeys are offered where there are any; the passphrase works everywhere.
for (const [name, act] of [["approve", approve], ["register", register]]) {
  for (const form of document.querySelectorAll(`form[data-passkey="${name}"]`)) {
    if (!window.PublicKeyCredential) continue;
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      act(form).catch((error) => complain(form, error));
    });
  }
}

// Only who has the page in front of them looks.
const looking = document.querySelector("form[data-looking]");
function look() {
  if (!looking || document.visibilityState !== "visible" || !document.hasFocus()) return;
  fetch(looking.action, { method: "POST", body: new URLSearchParams(new FormData(looking)) });
}
setInterval(look, 5000);
window.addEventListener("focus", look);
look();
enter();
