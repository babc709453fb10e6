// Draws an avatar with three-vrm whenever the bench asks for it, and hands back a PNG.
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { VRMLoaderPlugin, VRMUtils } from "@pixiv/three-vrm";

const ARMS_DOWN = (68 * Math.PI) / 180;

const renderer = new THREE.WebGLRenderer({ alpha: true, antialias: true, preserveDrawingBuffer: true });
const scene = new THREE.Scene();
const sun = new THREE.DirectionalLight(0xffffff, 0.88 * Math.PI);
sun.position.set(-0.28, 0.42, 0.86);
scene.add(sun, new THREE.AmbientLight(0xffffff, 0.12 * Math.PI));

async function load() {
  const loader = new GLTFLoader();
  loader.register((parser) => new VRMLoaderPlugin(parser));
  const vrm = (await loader.loadAsync("/model.vrm")).userData.vrm;
  VRMUtils.rotateVRM0(vrm);
  vrm.scene.traverse((part) => { part.frustumCulled = false; });
  vrm.humanoid.getNormalizedBoneNode("leftUpperArm").rotation.z = -ARMS_DOWN;
  vrm.humanoid.getNormalizedBoneNode("rightUpperArm").rotation.z = ARMS_DOWN;
  scene.add(vrm.scene);
  return vrm;
}

function camera({ fov, near, far, position }) {
  const placed = new THREE.PerspectiveCamera(fov, 1, near, far);
  placed.position.set(...position);
  return placed;
}

function draw(vrm, job) {
  renderer.setSize(job.size_px, job.size_px, false);
  vrm.expressionManager.setValue("happy", job.weight);
  vrm.update(0);
  renderer.render(scene, camera(job.camera));
  return new Promise((done) => renderer.domElement.toBlob(done, "image/png"));
}

function driver() {
  const gl = renderer.getContext();
  return gl.getParameter(gl.getExtension("WEBGL_debug_renderer_info").UNMASKED_RENDERER_WEBGL);
}

async function serve() {
  const vrm = await load();
  await fetch("/driver", { method: "POST", body: driver() });
  for (;;) {
    const job = await (await fetch("/job")).json();
    await fetch("/picture", { method: "POST", body: await draw(vrm, job) });
  }
}

serve().catch((error) => fetch("/failure", { method: "POST", body: String(error) }));
